import { startServer } from '../browsers/node-side.js'

export const startHostile: typeof import('./hostile.js').startHostile = (argument) =>
  startServer('hostile', argument)
