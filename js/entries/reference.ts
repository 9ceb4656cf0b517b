// Entry `alvarium-sdk/reference`, imported for its side effect: the whole package then uses the reference
// core. That core has Ed25519 of ed25519-dalek and SHA-256 of sha2, without SIMD. It is packed as text, so
// that it loads wherever WebAssembly may be compiled from bytes.

import { packed } from '../foundation/core/generated/reference.js'
import { chooseCore } from '../foundation/core/module.js'
import { unpackModule } from '../foundation/modules/unpack.js'

chooseCore(() => unpackModule(packed))
