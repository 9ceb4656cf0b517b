// Implements `#core` in Cloudflare Workers, which cannot compile WebAssembly from bytes at run time.

import algorithmsModule from '../../algorithms.wasm'
import coreModule from '../../core.wasm'

export const core = (): WebAssembly.Module => coreModule
export const algorithms = (): WebAssembly.Module => algorithmsModule
