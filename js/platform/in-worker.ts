// `#platform` in a pool's workers, whose one file runs everywhere: Node's SHA-256 where there is one.

import { sha256Of } from './node-sha256.js'
import type { Platform } from './platform.js'
import { platform as web } from './web.js'

const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
const memory = globalThis.process?.getBuiltinModule?.('node:buffer')

export const platform: Platform = { ...web, hostSha256: crypto && memory && sha256Of(crypto, memory) }
