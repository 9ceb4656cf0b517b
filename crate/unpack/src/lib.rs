//! Unpacks WebAssembly where there are no files: in pages and bundles, the core and the other algorithms are text.
//!
//! The text is [`base64`] of raw [`lzma`], which is a sixth smaller than the same deflated, and for the other algorithms a quarter. This is
//! a module of its own, which comes first: 2 kB, and at full speed from its first call on, as JavaScript is not. A library's decoder is
//! six times as large, since it streams, takes all settings, and tells what is wrong; here, all input is the package's own.
//!
//! [`wasm`] is the boundary to JavaScript.

#![deny(unsafe_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![no_std]

#[cfg(not(target_family = "wasm"))]
extern crate std;

pub mod base64;
pub mod lzma;
#[cfg(target_family = "wasm")]
#[allow(unsafe_code)]
mod wasm;
