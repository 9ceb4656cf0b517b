import { startServer } from '../browsers/node-side.js'

export const startMosquitto: typeof import('./mosquitto.js').startMosquitto = (argument) =>
  startServer('mosquitto', argument)
