// `#modules` where no bytes may be compiled at run time: Cloudflare Workers.

import { supplyAlgorithms } from '../algorithms/supply.js'
import algorithms from '../algorithms.wasm'
import { supplyCore } from '../core/module.js'
import core from '../core.wasm'

supplyCore(() => core)
supplyAlgorithms(() => algorithms)
