// Imported for its effect, by the CommonJS build alone, as core/beside.ts is.

import { readFileSync } from 'node:fs'
import { supplyAlgorithms } from './module.js'

supplyAlgorithms(() => readFileSync(new URL('../algorithms.wasm', import.meta.url)))
