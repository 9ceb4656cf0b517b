//! Ed25519 keys (RFC 8032): reading, signing, verifying, ids, keyrings. `curve` selects the arithmetic.

mod curve;
mod id;
mod keyring;
mod read;
#[cfg(not(feature = "simd"))]
mod reference;
mod signing;
#[cfg(feature = "simd")]
mod tables;
mod verifying;

pub use ed25519_dalek::{SIGNATURE_LENGTH, Signature};
pub use id::{KEY_ID_LENGTH, KeyId};
pub use keyring::{Keyring, Signed, TABLE_BYTES};
pub use signing::{SigningKey, wipe_stack};
pub use verifying::VerifyingKey;
