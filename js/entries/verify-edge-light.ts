// `alvarium-sdk/verify`: only verifying, with the core as an import, at the edge of Next.js and Vercel.

import '../algorithms/edge-light.js'
import '../core/edge-light.js'

export * from '../verifying.js'
