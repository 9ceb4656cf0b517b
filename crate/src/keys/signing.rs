//! Private keys, and wiping of the stack after their use.

use super::{curve, id::KeyId, verifying::VerifyingKey};
use alloc::vec::Vec;
use core::fmt;
use ed25519_dalek::{SecretKey, Signature, Signer as _};
use zeroize::Zeroize as _;

/// Bytes of stack to wipe. This is several times the stack depth of calls that use a private key.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites the stack frames of earlier calls. They can contain copies of a returned key, and the secret nonce of a
/// signature. Call it from the same stack depth as those calls.
#[inline(never)]
pub fn wipe_stack() {
    let mut frame = [0xff_u8; STACK_TO_WIPE];
    core::hint::black_box(&mut frame);
    frame.zeroize();
    core::hint::black_box(&mut frame);
}

/// A private key, with the feature `simd` in expanded form. It is wiped when dropped, and never printed.
pub struct SigningKey {
    key: curve::SigningKey,
    id: KeyId,
}

impl SigningKey {
    /// Makes the key from a 32-byte seed (RFC 8032 §5.1.5).
    pub fn from_seed(seed: &SecretKey) -> Self {
        let key = curve::SigningKey::from_bytes(seed);
        let id = KeyId::of(key.verifying_key().as_bytes());
        Self { key, id }
    }

    /// Signs `bytes` with pure Ed25519 (RFC 8032 §5.1.6), which is deterministic and needs no randomness.
    pub fn sign(&self, bytes: &[u8]) -> Signature {
        self.key.sign(bytes)
    }

    /// Signs bytes and verifies the signature. Returns `None` if a hardware fault damaged the signature.
    ///
    /// A correct and a faulty signature over the same bytes can reveal the key. A bundle with annotations is
    /// never signed twice, because each has new ids. Use this call for bytes that another party chooses.
    pub fn sign_checked(&self, bytes: &[u8]) -> Option<Signature> {
        let signature = self.sign(bytes);
        self.verifying_key().verifies(bytes, &signature).then_some(signature)
    }

    /// Signs many byte strings. Each signature is the same as from [`SigningKey::sign`]. Encoding a point takes an
    /// inversion, which is 1/8 of the time of a signature, and several points share one inversion.
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
