// `alvarium-sdk/verify`: only verifying, with the core as an import, for Cloudflare Workers.

import '../algorithms/workerd.js'
import '../core/workerd.js'

export * from '../verifying.js'
