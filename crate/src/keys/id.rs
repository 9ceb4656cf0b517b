//! The names of keys.

use crate::digest::{decode_hex, sha256};
use core::fmt;

/// Length of a key id in hexadecimal digits.
pub const KEY_ID_LENGTH: usize = 32;

/// Names a public key in a message: the first 16 bytes of its SHA-256, in lower-case hexadecimal.
///
/// The id only finds the key; what is believed rests on the key that the verifier holds. 128 bits make it
/// hopeless to find another key for a given id, and [`Keyring`] does not depend even on that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; KEY_ID_LENGTH]);

impl KeyId {
    /// The id of a public key of 32 bytes.
    pub fn of(public_key: &[u8; 32]) -> Self {
        let mut text = [0; KEY_ID_LENGTH];
        // The place has exactly the length that the encoder asks for.
        let _ = base16ct::lower::encode(&sha256(&[public_key])[..KEY_ID_LENGTH / 2], &mut text);
        Self(text)
    }

    /// Reads an id: 32 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_lower_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        text.as_bytes().try_into().ok().filter(|_| is_lower_hex).map(Self)
    }

    /// Stands where nobody has said yet who signs.
    pub(crate) const UNTOLD: Self = Self([b'0'; KEY_ID_LENGTH]);

    /// The bytes that the id's digits stand for.
    pub fn to_bytes(self) -> [u8; KEY_ID_LENGTH / 2] {
        let mut bytes = [0; KEY_ID_LENGTH / 2];
        // All ids are such digits, and so many.
        decode_hex(self.as_str(), &mut bytes);
        bytes
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
