// Exports the functions of crate/algorithms. This file is loaded with their WebAssembly module, so a page
// that verifies only Ed25519 does not load them. No other file imports the generated functions.

export {
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
