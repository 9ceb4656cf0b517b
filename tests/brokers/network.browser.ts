import { startServer } from '../browsers/node-side.js'

export const startNetwork: typeof import('./network.js').startNetwork = (argument) =>
  startServer('network', argument)
