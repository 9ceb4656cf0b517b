// Calls of the module of crate/algorithms. It is loaded with the module: a page that verifies Ed25519 alone has neither.

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

/** Generated functions, which no other file imports. */
export const glue = {
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
