//! Ed25519 (RFC 8032) on four lanes of WebAssembly SIMD. Signs in constant time. Verifies groups of signatures, each
//! with its own verdict.
//!
//! ```
//! use ed25519x4::{Claim, Signer as _, SigningKey, Verifier as _, VerifyingKey, verify_many};
//!
//! let signer = SigningKey::from_bytes(&[7; 32]);
//! let signature = signer.sign(b"hello");
//!
//! let key = VerifyingKey::from_bytes(&signer.verifying_key().to_bytes())?;
//! assert!(key.verify(b"hello", &signature).is_ok());
//!
//! // A table saves time if more than five signatures under a key are verified.
//! let table = key.table();
//! assert!(table.verify(b"hello", &signature).is_ok());
//!
//! let claim = Claim { key: (&table).into(), message: b"hello", signature: &signature };
//! assert_eq!(verify_many(&[claim; 3]), [true; 3]);
//! # Ok::<(), ed25519x4::KeyError>(())
//! ```
//!
//! # How it works, bottom-up
//!
//! WebAssembly has no product of more than 64 bits, but one instruction makes eight products of 16 bits and adds them
//! in pairs. A number is therefore split into limbs of 13 bits, and the four lanes of ten vectors hold four numbers.
//! The modules build on each other in this order:
//!
//! 1. `lanes` defines the operations of four lanes, as two traits. The code of the other modules is written once. It
//!    runs on `v128` in WebAssembly, on arrays elsewhere, and on intervals and unknowns in the proofs below.
//! 2. `field` and `multiply`: four numbers modulo 2²⁵⁵ − 19, and four products at a time. `freeze` computes the
//!    representation below p. `invert` inverts one number by division steps, and `batch` inverts many with one
//!    inversion.
//! 3. `point`: the four coordinates of a point are the four lanes. An addition or a doubling takes two products in
//!    four lanes. `encoding` encodes one or many points as 32 bytes each, and decodes them.
//! 4. `digits` splits scalars into digits, and `entry` and `table` store multiples of a point for these digits.
//!    `straus` needs no table.
//! 5. `sign`, `key` and `verify` implement RFC 8032, with scalars from curve25519-dalek and hashes from sha2.
//!    ed25519-dalek expands and wipes private keys, and provides the signature type and the traits for signing and
//!    verifying.
//!
//! # Why to trust it
//!
//! - **No lane overflows**. `tests::bounds` proves it. There, the modules above run on ranges instead of numbers,
//!   with all limbs as wide as allowed. Every operation checks that all its results fit, and the final result is
//!   within the allowed bounds. Every function states the bounds of its operands.
//! - **Products are correct** for any numbers. `tests::identities` proves it. There, the code runs on polynomials in
//!   unknown limbs. Every carry cancels modulo p, and the schoolbook product remains.
//! - **Results are correct**: products, sums, inversions, formulas, multiples, encodings, signatures and verdicts
//!   equal those of plain schoolbook arithmetic and of dalek. Millions of random and extreme cases show it, natively
//!   and in WebAssembly. `cargo test` and `node harness/check.mjs` run few cases, `node harness/check.mjs --long`
//!   runs all.
//! - **Verdicts are strict**, and the same for a signature alone, with a table and in any group: see [`verify_many`].
//!
//! # Secrets
//!
//! Secrets reach only `SigningKey`, `Table::times_secret` with its `select`, `encode`, `encode_all` and the functions
//! that these call: products, `freeze`, `invert`. None of them branches on a secret or uses it as an address. Entries
//! are selected by masks from all entries of a row, and every loop runs a fixed number of times. Keys, nonces, digits
//! and the points of nonces are wiped. Registers and spilled vectors leave copies on the stack, which the caller must
//! overwrite. Functions with *public* or *variable time* in their description are only for public values.
//!
//! # Without WebAssembly SIMD
//!
//! The crate then runs on arrays of four numbers. This is slow, and meant for tests.

#![forbid(unsafe_code)]
#![deny(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod base;
mod batch;
#[cfg(any(test, feature = "check"))]
#[doc(hidden)]
pub mod check;
mod constants;
mod digits;
mod encoding;
mod entry;
mod field;
mod freeze;
mod hash;
mod invert;
mod key;
mod lanes;
mod multiply;
mod point;
mod sign;
mod straus;
mod table;
#[cfg(test)]
mod tests;
mod verify;

pub use ed25519_dalek::{SecretKey, Signature, SignatureError, Signer, Verifier};
pub use key::{KeyError, KeyTable, VerifyingKey};
pub use sign::SigningKey;
pub use verify::{Claim, Under, verify_many};
