// As workerd.ts, in the way that Next.js and Vercel have it at the edge.

import module from '../core.wasm?module'
import { supplyCore } from './module.js'

supplyCore(() => module)
