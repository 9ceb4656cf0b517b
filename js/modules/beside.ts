// `#modules` in Node: the WebAssembly of the files that the package has beside its code.

import { readFileSync } from 'node:fs'
import { supplyAlgorithms } from '../algorithms/module.js'
import { supplyCore } from '../core/module.js'

supplyCore(() => readFileSync(new URL('../core.wasm', import.meta.url)))
supplyAlgorithms(() => readFileSync(new URL('../algorithms.wasm', import.meta.url)))
