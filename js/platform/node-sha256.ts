import type { Buffer } from 'node:buffer'
import type { createHash, hash } from 'node:crypto'
import type { Platform } from './platform.js'

/**
 * OpenSSL's SHA-256, which uses the processor's SHA instructions, by Node's modules: the file of a pool's workers runs
 * everywhere and cannot import them.
 */
export function sha256Of(
  // Newer than some runtimes that have the rest.
  crypto: { createHash: typeof createHash; hash?: typeof hash },
  memory: { Buffer: typeof Buffer },
): NonNullable<Platform['hostSha256']> {
  return (payload) =>
    // As a string: what comes as a buffer has memory of its own, which takes half a microsecond more.
    crypto.hash
      ? memory.Buffer.from(crypto.hash('sha256', payload, 'binary'), 'binary')
      : crypto.createHash('sha256').update(payload).digest()
}
