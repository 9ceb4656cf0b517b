// Implements `#platform` in a pool's workers, with Node's SHA-256 and signatures if they exist.

import { sha256Of, signaturesOf } from './node-crypto.js'
import type { Platform } from './platform.js'
import { platform as web } from './web.js'

const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
const memory = globalThis.process?.getBuiltinModule?.('node:buffer')

export const platform: Platform = {
  ...web,
  ...(crypto &&
    memory && {
      hostSha256: sha256Of(crypto, memory),
      hostSignatures: () => signaturesOf(crypto, memory),
    }),
}
