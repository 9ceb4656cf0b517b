import { sha256Of } from './node-sha256.js'
import { supplyPlatform } from './platform.js'

// In the place of `#platform` in a pool's workers, whose one file runs everywhere: Node's SHA-256 where there is one.
const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
const memory = globalThis.process?.getBuiltinModule?.('node:buffer')

// As in node.ts.
supplyPlatform({ hostSha256: crypto && memory && sha256Of(crypto, memory) })
