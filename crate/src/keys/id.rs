//! Ids of public keys.

use crate::digest::{decode_hex, sha256};
use core::fmt;

/// Length of a key id in hexadecimal digits.
pub const KEY_ID_LENGTH: usize = 32;

/// Name of a public key in messages: the first 16 bytes of its SHA-256, in lower-case hexadecimal.
///
/// The id serves only to find the key in the verifier's keyring, which decides on trust. With 128 bits, it is
/// infeasible to find another key with a given id, and [`Keyring`](super::Keyring) is safe even if someone could.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; KEY_ID_LENGTH]);

impl KeyId {
    /// Returns the id of a public key of 32 bytes.
    pub fn of(public_key: &[u8; 32]) -> Self {
        let mut text = [0; KEY_ID_LENGTH];
        // Ignore the result, because the array has exactly the length that the encoder needs.
        let _ = base16ct::lower::encode(&sha256(&[public_key])[..KEY_ID_LENGTH / 2], &mut text);
        Self(text)
    }

    /// Reads an id: 32 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_lower_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        text.as_bytes().try_into().ok().filter(|_| is_lower_hex).map(Self)
    }

    /// Placeholder id for a signer that is not known yet.
    pub(crate) const UNTOLD: Self = Self([b'0'; KEY_ID_LENGTH]);

    /// Returns the 16 bytes of the id.
    pub fn to_bytes(self) -> [u8; KEY_ID_LENGTH / 2] {
        let mut bytes = [0; KEY_ID_LENGTH / 2];
        // Ignore the result: every id has exactly 32 digits, so decoding succeeds.
        decode_hex(self.as_str(), &mut bytes);
        bytes
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
