import type { Buffer } from 'node:buffer'
import type { createHash, hash } from 'node:crypto'
import type { Platform } from './platform.js'

/**
 * Returns OpenSSL's SHA-256, which uses the processor's SHA instructions. Node's modules are parameters, because the file of a pool's
 * workers runs everywhere and cannot import them.
 */
export function sha256Of(
  // Optional, because it is newer than some supported runtimes.
  crypto: { createHash: typeof createHash; hash?: typeof hash },
  memory: { Buffer: typeof Buffer },
): NonNullable<Platform['hostSha256']> {
  return (payload) =>
    // Request a string: a buffer would have its own memory, which takes half a microsecond more.
    crypto.hash
      ? memory.Buffer.from(crypto.hash('sha256', payload, 'binary'), 'binary')
      : crypto.createHash('sha256').update(payload).digest()
}
