// `alvarium-sdk/verify`: only verifying, with the core as an import, for Cloudflare Workers.

import '../core/workerd.js'

export * from '../verifying.js'
