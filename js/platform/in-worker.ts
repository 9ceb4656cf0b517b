import { sha256Of } from './node-sha256.js'
import type { Platform } from './platform.js'

/** The `#platform` of a pool's workers, whose one file runs everywhere: Node's SHA-256 where there is one. */
const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
const memory = globalThis.process?.getBuiltinModule?.('node:buffer')

/** As in node.ts. */
export const hostSha256: Platform['hostSha256'] = crypto && memory && sha256Of(crypto, memory)
