//! Ed25519 on four lanes of WebAssembly SIMD.

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

pub use key::{KeyError, KeyTable, VerifyingKey};
pub use sign::SigningKey;
pub use verify::{Claim, Under, verify_many};
