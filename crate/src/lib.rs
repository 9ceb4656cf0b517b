//! # The core of the Alvarium SDK
//!
//! Alvarium is a data confidence fabric. An application that uses some data (the *payload*) signs *annotations* about
//! it. By these annotations, later users score how far to trust the payload. This crate does all work on bytes: it
//! hashes, signs, encodes, decodes and compares. The TypeScript code (`js/`) does everything that waits: it calls
//! annotators, retries and publishes. `FORMAT.md` specifies the formats.
//!
//! Writing uses the modules in this order:
//!
//! 1. [`digest`] hashes the payload to its *key*.
//! 2. [`ulid`] and [`timestamp`] make ids and times in order.
//! 3. [`bundle`] defines the answers of one call and their limits, and [`inputs`] the sources of a payload.
//! 4. [`identity`] encodes a bundle to the bytes to sign.
//! 5. [`keys`] signs these bytes, and reads keys in every usual form.
//! 6. [`message`] writes the published bytes, in JSON or in CBOR.
//! 7. [`seal`] does the six steps above in one call. [`batch`] collects many calls under one signature. Each bundle
//!    can be extracted from a batch by the batch's [`merkle`] tree. [`sha256x4`] hashes four texts at once, and
//!    [`crossing`] defines the layout of calls at the boundary.
//!
//! For reading, [`message`] decodes and checks messages, and [`verify`] lists the checks in order.
//!
//! [`wasm`] is the boundary to JavaScript and has no logic. [`error`] has the error codes.
//!
//! ```
//! use alvarium_core::{bundle::{Action, Layer}, digest::Hash, keys::{Keyring, SigningKey}};
//! use alvarium_core::{digest::Payload, seal::{Annotators, Call, Sealer}, verify::{Verifier, check_payload}};
//!
//! let key = SigningKey::from_seed(&[7; 32]);
//! let annotators = Annotators::new(["src", "tls"], "v1")?;
//! let mut sealer = Sealer::new(key.verifying_key().id(), Hash::Sha256, "edge-7", Layer::App, annotators)?;
//!
//! let call = Call {
//!     action: Action::Create,
//!     payload: Payload::Bytes(b"hello"),
//!     previous: None,
//!     inputs: None,
//!     asked: 0b11,
//!     answers: 0b1,
//!     micros: 1_795_000_000_000_000,
//!     entropy: 42,
//!     tag: None,
//! };
//! let message = sealer.seal(&call, &key)?;
//!
//! let mut verifier = Verifier::new(Keyring::from_iter([key.verifying_key()]));
//! let bundles = verifier.verify(&message)?;
//! check_payload(bundles[0].hash, &bundles[0].key, Payload::Bytes(b"hello"))?;
//! assert!(bundles[0].annotations[0].is_satisfied && !bundles[0].annotations[1].is_satisfied);
//! # Ok::<(), alvarium_core::error::Error>(())
//! ```

#![deny(unsafe_code, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used))]
#![no_std]

extern crate alloc;
// Link `std` in native builds (the tests). In WebAssembly, `runtime` has the allocator and the panic handler.
#[cfg(not(target_family = "wasm"))]
extern crate std;

pub mod batch;
pub mod bundle;
pub mod crossing;
pub mod digest;
pub mod error;
pub mod identity;
pub mod inputs;
pub mod keys;
mod lanes;
pub mod limits;
pub mod merkle;
pub mod message;
mod prefixed;
#[cfg(target_family = "wasm")]
mod runtime;
pub mod seal;
pub mod sha256x4;
pub mod timestamp;
pub mod ulid;
pub mod verify;
pub mod wasm;
