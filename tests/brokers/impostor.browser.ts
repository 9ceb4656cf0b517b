import { startServer } from '../browsers/node-side.js'

export const startImpostor: typeof import('./impostor.js').startImpostor = (argument) =>
  startServer('impostor', argument)
