// As workerd.ts, in the way that Next.js and Vercel have it at the edge.

import { supplyAlgorithms } from '../algorithms/supply.js'
import algorithms from '../algorithms.wasm?module'
import { supplyCore } from '../core/module.js'
import core from '../core.wasm?module'

supplyCore(() => core)
supplyAlgorithms(() => algorithms)
