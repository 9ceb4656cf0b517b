// As workerd.ts, in the way that Next.js and Vercel have it at the edge.

import module from '../algorithms.wasm?module'
import { supplyAlgorithms } from './module.js'

supplyAlgorithms(() => module)
