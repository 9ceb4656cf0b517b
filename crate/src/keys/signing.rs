//! Private keys.

use super::{curve, id::KeyId, verifying::VerifyingKey};
use alloc::vec::Vec;
use core::fmt;
use ed25519_dalek::{SecretKey, Signature, Signer as _};
use zeroize::Zeroize as _;

/// Bytes of stack to wipe: several times the depth of calls that handle a private key.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites the stack frames of earlier calls. A key returned by value is copied from frame to frame, and the
/// secret nonce of a signature is in one of them. Nothing else wipes them after the call. Call it from as far up the
/// stack as those calls.
#[inline(never)]
pub fn wipe_stack() {
    let mut frame = [0xff_u8; STACK_TO_WIPE];
    core::hint::black_box(&mut frame);
    frame.zeroize();
    core::hint::black_box(&mut frame);
}

/// A private key, expanded once, wiped when dropped, and never printed.
pub struct SigningKey {
    key: curve::SigningKey,
    id: KeyId,
}

impl SigningKey {
    /// Makes the key of a 32-byte seed (RFC 8032 §5.1.5).
    pub fn from_seed(seed: &SecretKey) -> Self {
        let key = curve::SigningKey::from_bytes(seed);
        let id = KeyId::of(key.verifying_key().as_bytes());
        Self { key, id }
    }

    /// Signs `bytes` with pure Ed25519 (RFC 8032 §5.1.6), which is deterministic and needs no randomness.
    pub fn sign(&self, bytes: &[u8]) -> Signature {
        self.key.sign(bytes)
    }

    /// Signs, and verifies the signature: returns nothing if a machine fault damaged it.
    ///
    /// Two signatures over the same bytes, one of them damaged, can reveal the key. Bundles are not signed twice,
    /// because each has fresh ids; bytes that another party chooses may be.
    pub fn sign_checked(&self, bytes: &[u8]) -> Option<Signature> {
        let signature = self.sign(bytes);
        self.verifying_key().verifies(bytes, &signature).then_some(signature)
    }

    /// Signs many byte strings, each as [`SigningKey::sign`] does. Encoding a point takes an inversion, 1/8 of the time of a
    /// signature, and several points share one.
    pub fn sign_together(&self, texts: &[&[u8]]) -> Vec<Signature> {
        self.key.sign_many(texts)
    }

    /// Returns the public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::from_key(self.key.verifying_key(), self.id)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.id).finish_non_exhaustive()
    }
}
