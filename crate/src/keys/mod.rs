//! Ed25519 keys (RFC 8032): sign, verify, name, find.

mod read;
pub mod together;

use crate::error::{Code, Result};
use curve25519_dalek::{
    Scalar, constants::ED25519_BASEPOINT_POINT, edwards::EdwardsBasepointTable, traits::BasepointTable as _,
};
use ed25519_dalek::hazmat::ExpandedSecretKey;
use sha2::{Digest as _, Sha256, Sha512};
use std::{fmt, sync::LazyLock};
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
        let digest = Sha256::digest(public_key);
        for (pair, byte) in text.chunks_exact_mut(2).zip(digest) {
            pair[0] = LOWER_HEX[usize::from(byte >> 4)];
            pair[1] = LOWER_HEX[usize::from(byte & 15)];
        }
        Self(text)
    }

    /// Reads an id: 32 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: [u8; KEY_ID_LENGTH] = text.as_bytes().try_into().ok()?;
        digits.iter().all(|digit| LOWER_HEX.contains(digit)).then_some(Self(digits))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// How deep calls that see a private key reach into the stack, several times over.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites what earlier calls have left on the stack. A key that is returned by value is copied from frame to
/// frame, and a signature's secret nonce lives in one: nothing wipes those when the call is over. To be called
/// from as far up as those calls were.
#[inline(never)]
pub fn wipe_stack() {
    let mut frame = [0xff_u8; STACK_TO_WIPE];
    std::hint::black_box(&mut frame);
    frame.zeroize();
    std::hint::black_box(&mut frame);
}

const LOWER_HEX: &[u8; 16] = b"0123456789abcdef";

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Multiples of the base point, for signing: computed on first use, about a millisecond, because as a constant they
/// would be a third of the compressed module.
static BASE_POINT: LazyLock<Box<EdwardsBasepointTable>> =
    LazyLock::new(|| Box::new(EdwardsBasepointTable::create(&ED25519_BASEPOINT_POINT)));

/// A private key, expanded once, wiped when dropped, and never printed.
pub struct SigningKey {
    expanded: ExpandedSecretKey,
    verifying: VerifyingKey,
}

impl SigningKey {
    /// The key of a 32-byte seed (RFC 8032 §5.1.5).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let mut hash: [u8; 64] = Sha512::digest(seed).into();
        let expanded = ExpandedSecretKey::from_bytes(&hash);
        hash.zeroize();
        let point = BASE_POINT.mul_base(&expanded.scalar);
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
        let hash = Sha512::new().chain_update(self.expanded.hash_prefix).chain_update(bytes);
        let mut nonce = Scalar::from_hash(hash);
        let commitment = BASE_POINT.mul_base(&nonce).compress();
        let hash =
            Sha512::new().chain_update(commitment.as_bytes()).chain_update(self.verifying.point.as_bytes());
        let challenge = Scalar::from_hash(hash.chain_update(bytes));
        let response = challenge * self.expanded.scalar + nonce;
        nonce.zeroize();
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
        let point = ed25519_dalek::VerifyingKey::from_bytes(bytes)
            .map_err(|_| invalid("32 bytes that are not a point of the curve"))?;
        if point.is_weak() {
            return Err(invalid("a point of small order, under which any signature verifies"));
        }
        // A point has a second encoding when its y is below 19; RFC 8032 §5.1.3 refuses it, decompression does not.
        if point.to_edwards().compress().as_bytes() != bytes {
            return Err(invalid("an encoding that is not the canonical one"));
        }
        Ok(Self::from_point(point))
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
        self.point.verify_strict(bytes, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
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

    fn position(&self, id: KeyId) -> std::result::Result<usize, usize> {
        self.keys.binary_search_by_key(&id, VerifyingKey::id)
    }
}

impl FromIterator<VerifyingKey> for Keyring {
    fn from_iter<I: IntoIterator<Item = VerifyingKey>>(keys: I) -> Self {
        let mut keyring = Self::default();
        keys.into_iter().for_each(|key| keyring.add(key));
        keyring
    }
}
