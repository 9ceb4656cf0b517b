// Calls of the module of crate/algorithms, loaded with the module: a page that verifies Ed25519 alone has neither. No other file imports
// the generated functions.

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
