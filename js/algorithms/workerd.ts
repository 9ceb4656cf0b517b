// Imported for its effect, as core/workerd.ts is: Cloudflare Workers.

import module from '../algorithms.wasm'
import { supplyAlgorithms } from './module.js'

supplyAlgorithms(() => module)
