// Imported for its effect, as inline.ts is, where no bytes may be compiled at run time: Cloudflare Workers.

import module from '../core.wasm'
import { supplyCore } from './module.js'

supplyCore(() => module)
