// `alvarium-sdk/reference`: imported for its effect. All names of the package use the reference core then: Ed25519 by ed25519-dalek and SHA-256
// by sha2, without arithmetic of our own and without SIMD. It is text, so that it loads wherever bytes may be compiled.

import { packed } from '../foundation/core/generated/reference.js'
import { chooseCore } from '../foundation/core/module.js'
import { unpackModule } from '../foundation/modules/unpack.js'

chooseCore(() => unpackModule(packed))
