//! Ed25519 keys (RFC 8032): read, sign, verify, name, find.

mod equation;
mod id;
mod keyring;
mod read;
mod signature;
mod signing;
pub mod together;
mod verifying;

pub use id::{KEY_ID_LENGTH, KeyId};
pub use keyring::Keyring;
pub use signature::{SIGNATURE_LENGTH, Signature};
pub use signing::{SigningKey, wipe_stack};
pub use verifying::VerifyingKey;
