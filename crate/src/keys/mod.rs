//! Ed25519 keys (RFC 8032): read, sign, verify, name, find. The arithmetic is that of [`ed25519x4`].

mod id;
mod keyring;
mod read;
mod signature;
mod signing;
mod tables;
mod verifying;

pub use id::{KEY_ID_LENGTH, KeyId};
pub use keyring::{Keyring, Signed, TABLE_BYTES};
pub use signature::{SIGNATURE_LENGTH, Signature};
pub use signing::{SigningKey, wipe_stack};
pub use verifying::VerifyingKey;
