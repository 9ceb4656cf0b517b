// `alvarium-sdk/algorithms`: imported for its effect where nothing can be loaded later, as in service workers: P-256, secp256k1 and SM2 are
// in the program then.

import '../algorithms/generated/inline.js'
