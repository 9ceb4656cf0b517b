//! # The core of the Alvarium SDK
//!
//! Alvarium is a data confidence fabric: an application that touches a piece of data (its *payload*) signs
//! *annotations* about it, so that whoever uses the payload later can judge how far to trust it. This crate
//! owns the bytes of that: what is hashed, signed, encoded, decoded and compared. The TypeScript around it
//! (`js/`) owns the flow: what waits, asks, retries and sends. The formats are specified in `FORMAT.md`.
//!
//! Out, the modules in the order in which one SDK call meets them:
//!
//! 1. [`digest`] hashes the payload, once: its *key*.
//! 2. [`ulid`] and [`timestamp`] say when and in which order.
//! 3. [`bundle`] holds all the answers of one call, and the limits on them; [`inputs`] what a payload was made from, where
//!    that is many.
//! 4. [`identity`] turns a bundle into the bytes that are signed.
//! 5. [`keys`] signs them, and reads keys in every usual form.
//! 6. [`message`] writes the bytes that are published, in JSON or in CBOR.
//! 7. [`seal`] is the six steps above as one call; [`batch`] collects many calls under one signature, whose
//!    [`merkle`] tree lets each bundle be taken out again. [`sha256x4`] hashes four things at once, and [`crossing`]
//!    says how calls come over the boundary.
//!
//! In: [`message`] decodes and checks, [`verify`] is the list of checks, in order.
//!
//! [`wasm`] is the boundary to JavaScript and holds no logic; [`error`] is what goes wrong.
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
// Native builds, which are those of the tests, take memory and panics from here; `runtime` has them for WebAssembly.
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
