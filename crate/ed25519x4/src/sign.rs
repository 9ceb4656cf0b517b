//! Signs messages (RFC 8032 §5.1.6).

use crate::base::base;
use crate::encoding::{encode, encode_all};
use crate::field::Field4;
use crate::hash::{scalar_of, sha512};
use crate::key::{KeyTable, VerifyingKey};
use crate::point::Point;
use crate::verify::{Claim, verify_many};
use alloc::vec::Vec;
use core::fmt;
use curve25519_dalek::Scalar;
use ed25519_dalek::{SecretKey, Signature, SignatureError, Signer, Verifier as _, hazmat::ExpandedSecretKey};
use zeroize::Zeroize as _;

/// Number of signatures that share an inversion. All their nonces are on the stack at the same time.
const TOGETHER: usize = 16;

/// A private key in expanded form. It is wiped when dropped, and never printed.
pub struct SigningKey {
    secret: ExpandedSecretKey,
    verifying: VerifyingKey,
}

impl SigningKey {
    /// Makes the key from a seed (RFC 8032 §5.1.5).
    pub fn from_bytes(seed: &SecretKey) -> Self {
        let mut hash = sha512(&[seed]);
        let secret = ExpandedSecretKey::from_bytes(&hash);
        hash.zeroize();
        let point = times_base(&secret.scalar);
        Self { secret, verifying: VerifyingKey::from_multiple(point, encode(&point)) }
    }

    /// Returns the public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.verifying
    }

    /// Signs many messages. Each signature is the same as from [`Signer::sign`]. Up to sixteen share one inversion.
    pub fn sign_many(&self, messages: &[&[u8]]) -> Vec<Signature> {
        let mut signatures = Vec::with_capacity(messages.len());
        for chunk in messages.chunks(TOGETHER) {
            self.sign_chunk(chunk, &mut signatures);
        }
        signatures
    }

    fn sign_chunk(&self, messages: &[&[u8]], signatures: &mut Vec<Signature>) {
        let mut nonces = [Scalar::ZERO; TOGETHER];
        let mut points = [Point::neutral(); TOGETHER];
        for (at, message) in messages.iter().enumerate() {
            nonces[at] = self.nonce(message);
            points[at] = times_base(&nonces[at]);
        }
        let encodings = encode_all(&points[..messages.len()]);
        for ((message, nonce), encoding) in messages.iter().zip(&nonces).zip(&encodings) {
            signatures.push(self.respond(message, nonce, encoding));
        }
        nonces.zeroize();
        Point::wipe(&mut points);
    }

    /// Signs a message, and verifies the signature. Returns `None` on failure, which only a hardware fault can cause.
    ///
    /// Two signatures over one message, one of them computed wrongly, can reveal a deterministic signer's key
    /// (Samwel, Batina, "Practical fault injection on deterministic signatures", 2018). `own` must be the table of
    /// this key.
    pub fn sign_checked(&self, own: &KeyTable, message: &[u8]) -> Option<Signature> {
        let signature = self.sign(message);
        (*own.key() == self.verifying && own.verify(message, &signature).is_ok()).then_some(signature)
    }

    /// Signs many messages and verifies the signatures. Returns `None` if any of them does not verify.
    pub fn sign_many_checked(&self, own: &KeyTable, messages: &[&[u8]]) -> Option<Vec<Signature>> {
        let signatures = self.sign_many(messages);
        let claim = |(message, signature)| Claim { key: own.into(), message, signature };
        let claims: Vec<_> = messages.iter().copied().zip(&signatures).map(claim).collect();
        let all_good = *own.key() == self.verifying && !verify_many(&claims).contains(&false);
        all_good.then_some(signatures)
    }

    /// Returns the nonce r, which must be secret and used only once. It is computed from the key and the message.
    #[inline(never)]
    fn nonce(&self, message: &[u8]) -> Scalar {
        scalar_of(&[&self.secret.hash_prefix, message])
    }

    /// Returns R and S = r + k·a. The hash k includes the public key that belongs to a, because S with a k of
    /// another public key would reveal a.
    #[inline(never)]
    fn respond(&self, message: &[u8], nonce: &Scalar, r: &[u8; 32]) -> Signature {
        let k = scalar_of(&[r, self.verifying.as_bytes(), message]);
        Signature::from_components(*r, (k * self.secret.scalar + nonce).to_bytes())
    }
}

impl Signer<Signature> for SigningKey {
    /// Signs a message with pure Ed25519, which is deterministic and needs no randomness. The time depends only on
    /// the length of the message. The call never fails.
    ///
    /// ```
    /// use ed25519x4::{Signer as _, SigningKey, Verifier as _};
    ///
    /// let key = SigningKey::from_bytes(&[7; 32]);
    /// assert!(key.verifying_key().verify(b"hello", &key.sign(b"hello")).is_ok());
    /// ```
    #[inline(never)]
    fn try_sign(&self, message: &[u8]) -> Result<Signature, SignatureError> {
        let mut nonce = self.nonce(message);
        let mut point = [times_base(&nonce)];
        let signature = self.respond(message, &nonce, &encode(&point[0]));
        nonce.zeroize();
        Point::wipe(&mut point);
        Ok(signature)
    }
}

/// Returns a secret multiple of the base point, in constant time.
#[inline(never)]
fn times_base(scalar: &Scalar) -> Point {
    base().times_secret(scalar.as_bytes())
}

impl Point {
    fn wipe(points: &mut [Self]) {
        for point in points {
            Field4::wipe(core::slice::from_mut(&mut point.0));
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("verifying_key", &self.verifying).finish_non_exhaustive()
    }
}
