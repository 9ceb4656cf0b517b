//! Unpacks WebAssembly without files: in pages and bundles, the core and the other algorithms are text.
//!
//! The text is [`base64`] of raw [`lzma`]. That is a sixth smaller than with deflate, and for the other algorithms a quarter.
//! This is a separate module, which is loaded first: 2 kB, and at full speed from its first call on, unlike JavaScript. A
//! library's decoder is six times as large, because it streams, accepts all settings, and reports errors. Here all input is
//! the package's own.
//!
//! `wasm` is the boundary to JavaScript.

#![deny(unsafe_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![no_std]

#[cfg(not(target_family = "wasm"))]
extern crate std;

pub mod base64;
pub mod lzma;
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod wasm;
