//! Ed25519 by ed25519-dalek without SIMD, with the names of `ed25519x4`. SECURITY.md lists the reviewed parts.

use super::KeyId;
use alloc::vec::Vec;
use ed25519_dalek::{SecretKey, Signature, SignatureError, Signer, Verifier};

/// A private key. It is wiped when dropped.
pub(super) struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    pub(super) fn from_bytes(seed: &SecretKey) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    pub(super) fn sign_many(&self, messages: &[&[u8]]) -> Vec<Signature> {
        messages.iter().map(|message| self.0.sign(message)).collect()
    }

    pub(super) fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }
}

impl Signer<Signature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, SignatureError> {
        self.0.try_sign(message)
    }
}

/// A public key. Its point has order ℓ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VerifyingKey(ed25519_dalek::VerifyingKey);

impl VerifyingKey {
    /// Reads a key.
    ///
    /// # Errors
    /// The reason, as text, when the bytes are not the canonical encoding of a point of order ℓ.
    pub(super) fn from_bytes(bytes: &[u8; 32]) -> Result<Self, &'static str> {
        let key = ed25519_dalek::VerifyingKey::from_bytes(bytes)
            .map_err(|_| "32 bytes that are not a point of the curve")?;
        let point = key.to_edwards();
        if point.compress().as_bytes() != bytes {
            return Err("an encoding that is not the canonical one");
        }
        if key.is_weak() {
            return Err("a point of small order, under which any signature verifies");
        }
        if !point.is_torsion_free() {
            return Err("a point with a component of small order, which no signer's key has");
        }
        Ok(Self(key))
    }

    pub(super) fn to_bytes(self) -> [u8; 32] {
        self.0.to_bytes()
    }

    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        self.0.verify_strict(message, signature)
    }
}

/// The key of a claimed signature. It has no table.
#[derive(Clone, Copy)]
pub(super) struct Under<'a>(&'a VerifyingKey);

impl<'a> From<&'a VerifyingKey> for Under<'a> {
    fn from(key: &'a VerifyingKey) -> Self {
        Self(key)
    }
}

/// A claimed signature to verify.
pub(super) struct Claim<'a> {
    pub(super) key: Under<'a>,
    pub(super) message: &'a [u8],
    pub(super) signature: &'a Signature,
}

pub(super) fn verify_many(claims: &[Claim<'_>]) -> Vec<bool> {
    claims.iter().map(|claim| claim.key.0.verify(claim.message, claim.signature).is_ok()).collect()
}

/// Empty replacement for the tables of keys, because ed25519-dalek makes no tables of public keys.
#[derive(Debug)]
pub(super) struct Tables;

impl Tables {
    pub(super) fn within(_bytes: usize) -> Self {
        Self
    }

    pub(super) fn of(&self, _owner: &KeyId) -> Option<Under<'_>> {
        None
    }

    pub(super) fn use_once(&mut self, _owner: KeyId, _key: &VerifyingKey, uses: u32) -> u32 {
        uses
    }

    pub(super) fn remove(&mut self, _owner: &KeyId) {}
}
