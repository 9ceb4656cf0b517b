//! Private keys.

use super::{curve, id::KeyId, verifying::VerifyingKey};
use alloc::vec::Vec;
use core::fmt;
use ed25519_dalek::{SecretKey, Signature, Signer as _};
use zeroize::Zeroize as _;

/// How deep calls that see a private key reach into the stack, several times over.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites what earlier calls have left on the stack. A key that is returned by value is copied from frame to
/// frame, and a signature's secret nonce lives in one: nothing wipes those when the call is over. To be called
/// from as far up as those calls were.
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
    /// The key of a 32-byte seed (RFC 8032 §5.1.5).
    pub fn from_seed(seed: &SecretKey) -> Self {
        let key = curve::SigningKey::from_bytes(seed);
        let id = KeyId::of(key.verifying_key().as_bytes());
        Self { key, id }
    }

    /// Signs `bytes` with pure Ed25519 (RFC 8032 §5.1.6): deterministic, no randomness needed.
    pub fn sign(&self, bytes: &[u8]) -> Signature {
        self.key.sign(bytes)
    }

    /// Signs, and verifies what came out: nothing when a fault of the machine has spoilt it.
    ///
    /// Two signatures over the same bytes, one of them spoilt, can give the key away. Bundles are not signed twice, because
    /// each has fresh ids; what somebody else chooses may be.
    pub fn sign_checked(&self, bytes: &[u8]) -> Option<Signature> {
        let signature = self.sign(bytes);
        self.verifying_key().verifies(bytes, &signature).then_some(signature)
    }

    /// Signs many byte strings, each as [`SigningKey::sign`] does: encoding a point takes an inversion, an eighth of a
    /// signature, and several points share one.
    pub fn sign_together(&self, texts: &[&[u8]]) -> Vec<Signature> {
        self.key.sign_many(texts)
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::from_key(self.key.verifying_key(), self.id)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.id).finish_non_exhaustive()
    }
}
