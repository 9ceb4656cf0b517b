import { startServer } from '../browsers/node-side.js'

export const startSilent: typeof import('./silent.js').startSilent = () => startServer('silent')
