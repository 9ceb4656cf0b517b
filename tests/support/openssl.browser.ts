import { nodeSide } from '../browsers/node-side.js'

export const openssl: typeof import('./openssl.js').openssl = async (args, input) =>
  Uint8Array.from(await nodeSide.openssl(args, input))
