// Implements `#core` in the edge runtimes of Next.js and Vercel, which cannot compile bytes at run time.

import algorithmsModule from '../../algorithms.wasm?module'
import coreModule from '../../core.wasm?module'

export const core = (): WebAssembly.Module => coreModule
export const algorithms = (): WebAssembly.Module => algorithmsModule
