// Imported for its effect, by the CommonJS build alone, which only runs where there are files: the core is in the package
// already, so it is not packed once more.

import { readFileSync } from 'node:fs'
import { supplyCore } from './module.js'

supplyCore(() => readFileSync(new URL('../core.wasm', import.meta.url)))
