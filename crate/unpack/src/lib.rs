//! Unpacks WebAssembly modules. In pages and bundles, the core and the other algorithms are embedded as text.
//!
//! The text is [`base64`] of raw [`lzma`]. Compared with deflate, the core is a sixth smaller, and the other
//! algorithms are a quarter smaller. This crate is a separate module of 2 kB, which is loaded first. Unlike
//! JavaScript, it has full speed from the first call. A library's decoder is six times as large, because it
//! streams, accepts all settings, and reports errors. All input of this decoder is part of the package.
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
