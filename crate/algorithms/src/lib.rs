//! Signature algorithms other than Ed25519: ECDSA over P-256 and over secp256k1, with SHA-256, and SM2 with SM3. This crate
//! has no Alvarium formats.
//!
//! It is a separate module, because users of Ed25519 alone should not load it. It keeps no state between calls: each call
//! that uses a private key receives it, and wipes its traces afterwards ([`secrets`]).
//!
//! 1. [`algorithm`]: the algorithms. A key belongs to one of them, and its signatures verify under that one only.
//! 2. [`ecdsa`] and [`sm2dsa`]: signing and verifying, each with keys and signatures of the same [`lengths`].
//! 3. [`keys`]: private keys from their containers, and public keys, in one encoding.
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
