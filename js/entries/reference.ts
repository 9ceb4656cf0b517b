// Entry `alvarium-sdk/reference`: makes the package use Ed25519 of ed25519-dalek and SHA-256 of sha2, without
// SIMD. The module contains its WebAssembly as text, and so loads wherever WebAssembly may be compiled.

import { packed } from '../foundation/core/generated/reference.js'
import { chooseCore } from '../foundation/core/module.js'
import { unpackModule } from '../foundation/modules/unpack.js'

chooseCore(() => unpackModule(packed))
