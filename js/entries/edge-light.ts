// `alvarium-sdk` at the edge of Next.js and Vercel: everything, with the core as an import.

import '../algorithms/edge-light.js'
import '../core/edge-light.js'

export * from '../index.js'
