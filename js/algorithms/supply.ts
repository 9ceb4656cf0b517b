// What brings the other algorithms brings what calls them too: a page that verifies Ed25519 alone has neither. This file is the only one that
// imports what is generated.

import type { WasmModule } from '../core/module.js'
import {
  __wbg_reset_state,
  canonical,
  generatedKeyPair,
  initSync,
  pkcs8Of,
  readKeyPair,
  recovered,
  sign,
  verifies,
} from './generated/algorithms.js'
import { supplyFrom, take } from './module.js'

/** Written out: bundlers leave it out where nobody supplies anything, and would keep `* as glue`. */
const glue = {
  __wbg_reset_state,
  canonical,
  generatedKeyPair,
  initSync,
  pkcs8Of,
  readKeyPair,
  recovered,
  sign,
  verifies,
}

/** Says where the module is to be had. It is not asked for before a key needs it. */
export function supplyAlgorithms(from: () => WasmModule | Promise<WasmModule>): void {
  supplyFrom(from, glue)
}

/** Takes the module compiled, where somebody else has loaded it. */
export function takeAlgorithms(module: WebAssembly.Module): void {
  take(module, glue)
}
