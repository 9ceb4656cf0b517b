// `#core` at the edge of Next.js and Vercel, where no bytes may be compiled at run time.

import algorithmsModule from '../algorithms.wasm?module'
import coreModule from '../core.wasm?module'

export const core = (): WebAssembly.Module => coreModule
export const algorithms = (): WebAssembly.Module => algorithmsModule
