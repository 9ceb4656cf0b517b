//! Signatures beside Ed25519: ECDSA over P-256 and over secp256k1, with SHA-256, and SM2 with SM3. No word of Alvarium.
//!
//! A module of its own, because who signs with Ed25519 alone should not load it. It keeps nothing between calls: a private key
//! comes with each call that uses it, and what the call leaves behind is wiped ([`secrets`]).
//!
//! 1. [`algorithm`]: which there are. A key belongs to one of them, and a signature verifies under that one only.
//! 2. [`ecdsa`] and [`sm2dsa`]: signing and verifying, each with keys and signatures of the same [`lengths`].
//! 3. [`keys`]: private keys out of their containers, and public ones, in one encoding.
//! 4. [`signature`]: signing and verifying by the algorithm that a key asks for.
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
