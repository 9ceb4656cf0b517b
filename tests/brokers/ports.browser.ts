import { nodeSide } from '../browsers/node-side.js'

export const freePort: typeof import('./ports.js').freePort = () => nodeSide.freePort()
