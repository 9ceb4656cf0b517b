//! Public keys.

use super::{equation::Equation, id::KeyId, signature::Signature};
use crate::error::{Code, Result};
use alloc::format;
use curve25519_dalek::edwards::CompressedEdwardsY;

/// A public key, decompressed once, with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    point: ed25519_dalek::VerifyingKey,
    id: KeyId,
}

impl VerifyingKey {
    pub(super) fn from_point(point: ed25519_dalek::VerifyingKey) -> Self {
        Self { point, id: KeyId::of(point.as_bytes()) }
    }

    /// The key of 32 bytes.
    ///
    /// # Errors
    /// `KEY_INVALID` when they are not a point of the curve, or one of the small-order points, under which
    /// anybody can sign anything.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self> {
        let invalid = |what| {
            Code::KeyInvalid.error(format!("verifyingKey: expected an Ed25519 public key, got {what}"))
        };
        let point = CompressedEdwardsY(*bytes)
            .decompress()
            .ok_or_else(|| invalid("32 bytes that are not a point of the curve"))?;
        if point.is_small_order() {
            return Err(invalid("a point of small order, under which any signature verifies"));
        }
        let key = Self::from_point(point.into());
        // A point has a second encoding when its y is below 19; RFC 8032 §5.1.3 refuses it, decompression does not.
        if key.point.as_bytes() != bytes {
            return Err(invalid("an encoding that is not the canonical one"));
        }
        Ok(key)
    }

    /// Whether `signature` is this key's over `bytes`.
    ///
    /// Strict: small-order points and non-canonical encodings are refused, so that two verifiers never
    /// disagree and no signature fits two messages (Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs").
    pub fn verifies(&self, bytes: &[u8], signature: &Signature) -> bool {
        self.equation(bytes, signature).is_some_and(|equation| equation.holds())
    }

    /// The parts of the equation of a signature, unless the strict rules refuse it by its looks.
    pub(super) fn equation(&self, bytes: &[u8], signature: &Signature) -> Option<Equation> {
        Equation::of(&self.point, bytes, signature)
    }

    /// The key's name in messages.
    pub fn id(&self) -> KeyId {
        self.id
    }

    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        self.point.as_bytes()
    }

    /// The key's 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.point.to_bytes()
    }
}
