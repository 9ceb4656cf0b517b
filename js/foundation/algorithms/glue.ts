// Functions of crate/algorithms, loaded together with its module: a page that verifies only Ed25519 loads neither. Only
// this file imports the generated functions.

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
