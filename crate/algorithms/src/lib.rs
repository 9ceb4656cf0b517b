//! Signature algorithms other than Ed25519: ECDSA over P-256 and over secp256k1, with SHA-256, and SM2 with SM3. This
//! crate does not know Alvarium's formats.
//!
//! It is a separate WebAssembly module, so that users of only Ed25519 do not load it. It keeps no state between
//! calls. Each call that uses a private key receives the key, and then wipes it from memory ([`secrets`]).
//!
//! 1. [`algorithm`]: the algorithms. A key belongs to one of them, and its signatures verify under only that
//!    algorithm.
//! 2. [`ecdsa`] and [`sm2dsa`]: signing and verifying, each with keys and signatures of the same [`lengths`].
//! 3. [`keys`]: reading private keys from their containers, and public keys.
//! 4. [`signature`]: signing and verifying by the algorithm of the key.
//!
//! [`wasm`] is the boundary to JavaScript.

#![deny(unsafe_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![no_std]

extern crate alloc;
#[cfg(not(target_family = "wasm"))]
extern crate std;

pub mod algorithm;
pub mod ecdsa;
pub mod keys;
pub mod lengths;
pub mod secrets;
pub mod signature;
pub mod sm2dsa;
pub mod wasm;
