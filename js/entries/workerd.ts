// `alvarium-sdk` in Cloudflare Workers: everything, with the core as an import.

import '../algorithms/workerd.js'
import '../core/workerd.js'

export * from '../index.js'
