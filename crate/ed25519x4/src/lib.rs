//! Ed25519 (RFC 8032) on four lanes of WebAssembly SIMD: signs in constant time, and judges each signature on its own.
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
//! // Worth it where more than five signatures under a key are to be verified.
//! let table = key.table();
//! assert!(table.verify(b"hello", &signature).is_ok());
//!
//! let claim = Claim { key: (&table).into(), message: b"hello", signature: &signature };
//! assert_eq!(verify_many(&[claim; 3]), [true; 3]);
//! # Ok::<(), ed25519x4::KeyError>(())
//! ```
//!
//! # How it works, from the bottom
//!
//! WebAssembly has no product of more than 64 bits, but one instruction that makes eight products of 16 bits and adds
//! them in pairs. So a number is cut into limbs of 13 bits, and four numbers lie side by side in the four lanes of
//! ten vectors. In this order the modules build on each other:
//!
//! 1. `lanes` says what four lanes can do, as two traits. Everything above is written once, and runs on `v128` in
//!    WebAssembly, on arrays elsewhere, and on intervals and unknowns in the proofs below.
//! 2. `field` and `multiply`: four numbers modulo 2²⁵⁵ − 19, and four products at a time. `freeze` finds the one
//!    representation of a number, `invert` inverts one by division steps, `batch` many for the price of one.
//! 3. `point`: the four coordinates of a point are the four lanes. An addition is two products in four lanes, and so
//!    is a doubling. `encoding` makes 32 bytes of a point, and of many, and reads them.
//! 4. `digits` cuts scalars into digits, `entry` and `table` hold multiples of a point for them, `straus` does
//!    without.
//! 5. `sign`, `key` and `verify` are RFC 8032, with scalars from curve25519-dalek and hashes from sha2. Private keys are
//!    expanded and wiped by ed25519-dalek; signatures, and the traits of who signs and verifies, are its, too.
//!
//! # Why to believe it
//!
//! - **No lane overflows**: a proof, in `tests::bounds`. The modules above run there on ranges instead of numbers,
//!   with all limbs as wide as allowed; every operation checks that all its results fit, and the outcome is within
//!   what was allowed. Every function says which bounds it takes.
//! - **A product is the product**, whatever the numbers: a second proof, in `tests::identities`. The code runs on
//!   polynomials in unknown limbs; every carry cancels modulo p, and what is left is the schoolbook product.
//! - **Results are right**: products, sums, inversions, formulas, multiples, encodings, signatures and verdicts equal
//!   those of plain schoolbook arithmetic and of dalek on millions of random and extreme cases, natively and in
//!   WebAssembly: `cargo test` and `node harness/check.mjs` in short, `node harness/check.mjs --long` in full.
//! - **Verdicts are strict**, and the same alone, with a table and in any company: see [`verify_many`].
//!
//! # Secrets
//!
//! What sees one is `SigningKey`, `Table::times_secret` with its `select`, `encode`, `encode_all` and what they call:
//! products, `freeze`, `invert`. None of them branches on it or uses it as an address: digits choose by masks among
//! all entries of a row, and every loop runs a fixed number of times. Keys, nonces, digits and the points made of
//! nonces are wiped; what registers and spilled vectors leave on the stack is for the caller to overwrite. Everything
//! with *public* or *variable time* in its description is only for what anybody may know.
//!
//! # Without WebAssembly SIMD
//!
//! it runs on arrays of four, for tests: right, and slow.

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
