//! Private keys.

use super::{equation::challenge, signature::Signature, verifying::VerifyingKey};
use crate::digest::sha512;
use alloc::{boxed::Box, vec::Vec};
use core::fmt;
use curve25519_dalek::{
    EdwardsPoint, Scalar,
    constants::ED25519_BASEPOINT_POINT,
    edwards::{CompressedEdwardsY, EdwardsBasepointTableRadix32},
    traits::{BasepointTable as _, Identity as _},
};
use ed25519_dalek::hazmat::ExpandedSecretKey;
use once_cell::race::OnceBox;
use zeroize::Zeroize as _;

/// How many points are encoded at once when texts are signed together.
const ENCODED_TOGETHER: usize = 16;

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

/// Multiples of the base point, for signing: computed on first use, a few milliseconds, because as a constant they
/// would be a third of the compressed module. Five bits at a time sign in 0.93 of the time of four; six gain no more.
static BASE_POINT: OnceBox<EdwardsBasepointTableRadix32> = OnceBox::new();

fn base_point() -> &'static EdwardsBasepointTableRadix32 {
    BASE_POINT.get_or_init(|| Box::new(EdwardsBasepointTableRadix32::create(&ED25519_BASEPOINT_POINT)))
}

/// A private key, expanded once, wiped when dropped, and never printed.
pub struct SigningKey {
    expanded: ExpandedSecretKey,
    verifying: VerifyingKey,
}

impl SigningKey {
    /// The key of a 32-byte seed (RFC 8032 §5.1.5).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let mut hash = sha512(&[seed]);
        let expanded = ExpandedSecretKey::from_bytes(&hash);
        hash.zeroize();
        let point = base_point().mul_base(&expanded.scalar);
        Self { expanded, verifying: VerifyingKey::from_point(point.into()) }
    }

    /// Signs `bytes` with pure Ed25519 (RFC 8032 §5.1.6): deterministic, no randomness needed.
    ///
    /// The steps are the RFC's. The public key in the hash is always this key's own: with another one a signature
    /// would give the private key away.
    pub fn sign(&self, bytes: &[u8]) -> Signature {
        let mut nonce = self.nonce(bytes);
        let commitment = base_point().mul_base(&nonce).compress();
        let signature = self.respond(bytes, &nonce, &commitment);
        nonce.zeroize();
        signature
    }

    /// Signs many byte strings, each as [`SigningKey::sign`] does: encoding a point takes an inversion, a fifth of a
    /// signature, and several points share one (Montgomery's trick, in constant time).
    pub fn sign_together(&self, texts: &[&[u8]]) -> Vec<Signature> {
        let mut signatures = Vec::with_capacity(texts.len());
        for chunk in texts.chunks(ENCODED_TOGETHER) {
            self.sign_chunk(chunk, &mut signatures);
        }
        signatures
    }

    /// Everything secret is on the stack, where [`wipe_stack`] finds what is left of it.
    fn sign_chunk(&self, texts: &[&[u8]], signatures: &mut Vec<Signature>) {
        let mut nonces = [Scalar::ZERO; ENCODED_TOGETHER];
        let mut points = [EdwardsPoint::identity(); ENCODED_TOGETHER];
        for (at, text) in texts.iter().enumerate() {
            nonces[at] = self.nonce(text);
            points[at] = base_point().mul_base(&nonces[at]);
        }
        let commitments = EdwardsPoint::compress_batch(&points);
        for ((text, nonce), commitment) in texts.iter().zip(&nonces).zip(&commitments) {
            signatures.push(self.respond(text, nonce, commitment));
        }
        nonces.zeroize();
        points.zeroize();
    }

    /// The number that must be secret and used once: it follows from the key and the text.
    #[inline(never)]
    fn nonce(&self, bytes: &[u8]) -> Scalar {
        let mut hash = sha512(&[&self.expanded.hash_prefix, bytes]);
        let nonce = Scalar::from_bytes_mod_order_wide(&hash);
        hash.zeroize();
        nonce
    }

    #[inline(never)]
    fn respond(&self, bytes: &[u8], nonce: &Scalar, commitment: &CompressedEdwardsY) -> Signature {
        let challenge = challenge(&commitment.0, self.verifying.as_bytes(), bytes);
        let response = challenge * self.expanded.scalar + nonce;
        ed25519_dalek::Signature::from_components(commitment.to_bytes(), response.to_bytes()).to_bytes()
    }

    /// The public half.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.verifying
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.verifying.id()).finish_non_exhaustive()
    }
}
