//! Ed25519 keys (RFC 8032): sign, verify, name, find.

mod equation;
mod read;
pub mod together;

use crate::{
    digest::{sha256, sha512},
    error::{Code, Result},
};
use alloc::{boxed::Box, format, vec::Vec};
use core::fmt;
use curve25519_dalek::{
    EdwardsPoint, Scalar,
    constants::ED25519_BASEPOINT_POINT,
    edwards::{CompressedEdwardsY, EdwardsBasepointTableRadix32},
    traits::{BasepointTable as _, Identity as _},
};
use ed25519_dalek::hazmat::ExpandedSecretKey;
use equation::{Equation, challenge};
use once_cell::race::OnceBox;
use together::Claim;
use zeroize::Zeroize as _;

/// Length of a signature in bytes.
pub const SIGNATURE_LENGTH: usize = 64;
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

    /// The id as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

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

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
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

    /// Reads a key in any usual form: a seed of 32 bytes, seed ‖ public key of 64, either in hexadecimal
    /// with or without white space around it (the other SDKs' `private.key`), or PKCS#8 (RFC 8410). PEM and JWK are
    /// opened by the caller.
    ///
    /// # Errors
    /// `KEY_INVALID`, saying what was expected and what came, never any of the key itself.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        read::signing_key(bytes)
    }

    /// Signs `bytes` with pure Ed25519 (RFC 8032 §5.1.6): deterministic, no randomness needed.
    ///
    /// The steps are the RFC's. The public key in the hash is always this key's own: with another one a signature
    /// would give the private key away.
    pub fn sign(&self, bytes: &[u8]) -> [u8; SIGNATURE_LENGTH] {
        let mut nonce = self.nonce(bytes);
        let commitment = base_point().mul_base(&nonce).compress();
        let signature = self.respond(bytes, &nonce, &commitment);
        nonce.zeroize();
        signature
    }

    /// Signs many byte strings, each as [`SigningKey::sign`] does: encoding a point takes an inversion, a fifth of a
    /// signature, and several points share one (Montgomery's trick, in constant time).
    pub fn sign_together(&self, texts: &[&[u8]]) -> Vec<[u8; SIGNATURE_LENGTH]> {
        let mut signatures = Vec::with_capacity(texts.len());
        for chunk in texts.chunks(ENCODED_TOGETHER) {
            self.sign_chunk(chunk, &mut signatures);
        }
        signatures
    }

    /// Everything secret is on the stack, where [`wipe_stack`] finds what is left of it.
    fn sign_chunk(&self, texts: &[&[u8]], signatures: &mut Vec<[u8; SIGNATURE_LENGTH]>) {
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
    fn respond(
        &self,
        bytes: &[u8],
        nonce: &Scalar,
        commitment: &CompressedEdwardsY,
    ) -> [u8; SIGNATURE_LENGTH] {
        let challenge = challenge(&commitment.0, &self.verifying, bytes);
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
        f.debug_struct("SigningKey").field("id", &self.verifying.id).finish_non_exhaustive()
    }
}

/// A public key, decompressed once, with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    point: ed25519_dalek::VerifyingKey,
    id: KeyId,
}

impl VerifyingKey {
    fn from_point(point: ed25519_dalek::VerifyingKey) -> Self {
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

    /// Reads a key in any usual form: 32 bytes, their hexadecimal with or without white space around it (the
    /// other SDKs' `public.key`), SubjectPublicKeyInfo as DER or PEM (RFC 8410), or a JWK (RFC 8037).
    ///
    /// # Errors
    /// `KEY_INVALID`, saying what was expected and what came.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        read::verifying_key(bytes)
    }

    /// Whether `signature` is this key's over `bytes`.
    ///
    /// Strict: small-order points and non-canonical encodings are refused, so that two verifiers never
    /// disagree and no signature fits two messages (Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs").
    pub fn verifies(&self, bytes: &[u8], signature: &[u8; SIGNATURE_LENGTH]) -> bool {
        Equation::of(&Claim { key: self, bytes, signature }).is_some_and(|equation| equation.holds())
    }

    /// The key's name in messages.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The key's 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.point.to_bytes()
    }
}

/// The public keys that a verifier trusts, found by id.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    /// Sorted by id, each id once.
    keys: Vec<VerifyingKey>,
}

impl Keyring {
    /// Trusts another key.
    pub fn add(&mut self, key: VerifyingKey) {
        match self.position(key.id()) {
            Ok(at) => self.keys[at] = key,
            Err(at) => self.keys.insert(at, key),
        }
    }

    /// The key that a message names.
    ///
    /// # Errors
    /// `SIGNER_UNKNOWN` when the keyring does not hold it.
    pub fn find(&self, id: KeyId) -> Result<&VerifyingKey> {
        self.position(id).map(|at| &self.keys[at]).map_err(|_| {
            let (held, got) = (self.keys.len(), id.as_str());
            Code::SignerUnknown.error(format!("signer: expected one of the keyring's {held} keys, got {got}"))
        })
    }

    /// All keys, sorted by id.
    pub fn iter(&self) -> core::slice::Iter<'_, VerifyingKey> {
        self.keys.iter()
    }

    #[inline(never)]
    fn position(&self, id: KeyId) -> core::result::Result<usize, usize> {
        self.keys.binary_search_by(|key| key.id.0.iter().cmp(&id.0))
    }
}

impl FromIterator<VerifyingKey> for Keyring {
    fn from_iter<I: IntoIterator<Item = VerifyingKey>>(keys: I) -> Self {
        let mut keyring = Self::default();
        keys.into_iter().for_each(|key| keyring.add(key));
        keyring
    }
}
