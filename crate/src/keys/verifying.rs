//! Public keys.

use super::{curve, id::KeyId};
use crate::error::{Code, Result};
use alloc::format;
use ed25519_dalek::{Signature, Verifier as _};

/// A decoded public key, with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    key: curve::VerifyingKey,
    id: KeyId,
}

impl VerifyingKey {
    pub(super) fn from_key(key: curve::VerifyingKey, id: KeyId) -> Self {
        Self { key, id }
    }

    /// Reads a key from 32 bytes.
    ///
    /// # Errors
    /// `KEY_INVALID` when the bytes are not the canonical encoding of a point of the curve, or the point has a
    /// component of small order. Under some such keys anyone can sign anything, and under the others verifiers
    /// disagree.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self> {
        let key = curve::VerifyingKey::from_bytes(bytes).map_err(|error| {
            Code::KeyInvalid.error(format!("verifyingKey: expected an Ed25519 public key, got {error}"))
        })?;
        Ok(Self { key, id: KeyId::of(bytes) })
    }

    /// Returns true if `signature` over `bytes` verifies under this key by the rules of
    /// [`ed25519_dalek::VerifyingKey::verify_strict`]. By these rules, two verifiers never disagree, and no signature
    /// fits two messages.
    pub fn verifies(&self, bytes: &[u8], signature: &Signature) -> bool {
        self.key.verify(bytes, signature).is_ok()
    }

    pub(super) fn key(&self) -> &curve::VerifyingKey {
        &self.key
    }

    /// Returns the id of the key, as in messages.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// Returns the key's 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.key.to_bytes()
    }
}
