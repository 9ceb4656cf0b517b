import type { Platform } from './platform.js'

/** The `#platform` of a pool's workers, whose one file runs everywhere: Node's SHA-256 where there is one. */
const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')

/** As in node.ts. */
export const hostSha256: Platform['hostSha256'] =
  crypto &&
  ((payload) =>
    crypto.hash
      ? crypto.hash('sha256', payload, 'buffer')
      : crypto.createHash('sha256').update(payload).digest())
