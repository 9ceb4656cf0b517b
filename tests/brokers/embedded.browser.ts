import { startServer } from '../browsers/node-side.js'

export const startEmbedded: typeof import('./embedded.js').startEmbedded = (argument) =>
  startServer('embedded', argument)
