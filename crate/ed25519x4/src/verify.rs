//! Verifies signatures (RFC 8032 §5.1.7).

use crate::base::{public_base, public_row};
use crate::constants::NEUTRAL;
use crate::encoding::{encode, encode_all};
use crate::hash::scalar_of;
use crate::key::{KeyTable, VerifyingKey};
use crate::point::Point;
use crate::{straus, table};
use alloc::vec::Vec;
use curve25519_dalek::Scalar;
use ed25519_dalek::{Signature, SignatureError, Verifier};

/// Number of points that share an inversion. With 64, its cost is 0.03 µs per point.
const TOGETHER: usize = 64;

/// The key of a claimed signature: alone, or with a table.
#[derive(Clone, Copy, Debug)]
pub enum Under<'a> {
    /// A rarely used key, without a table.
    Key(&'a VerifyingKey),
    /// An often used key, with a table.
    Table(&'a KeyTable),
}

impl<'a> From<&'a VerifyingKey> for Under<'a> {
    fn from(key: &'a VerifyingKey) -> Self {
        Self::Key(key)
    }
}

impl<'a> From<&'a KeyTable> for Under<'a> {
    fn from(table: &'a KeyTable) -> Self {
        Self::Table(table)
    }
}

/// A claimed signature to verify.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Key of the claimed signer.
    pub key: Under<'a>,
    /// Bytes that the signer is claimed to have signed.
    pub message: &'a [u8],
    /// Signature as R and S (RFC 8032 §5.1.6).
    pub signature: &'a Signature,
}

/// Verifies many signatures independently. Returns their verdicts, in order.
///
/// A signature (R, S) under the key A over the message M is valid if
///
/// 1. S is below ℓ;
/// 2. R is not the encoding of the neutral point;
/// 3. R is, byte for byte, the encoding of S·B − k·A, where k is the SHA-512 of R, A and M, modulo ℓ.
///
/// This is RFC 8032's equation without the cofactor, as OpenSSL and Go compute it, in its strict form ("Taming the
/// many EdDSAs", Chalkias, Garillot, Nikolaenko 2020). R is canonical because the encoder's output is. R is not of
/// small order, because B and A have order ℓ, so their sums have order ℓ or are neutral. ed25519-dalek's
/// `verify_strict` has the same verdicts for all keys that [`VerifyingKey::from_bytes`] accepts.
///
/// Signatures share only the inversion for the encoding, and no verdict depends on the others.
///
/// ```
/// use ed25519x4::{Claim, Signer as _, SigningKey, verify_many};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let (verifying, signature) = (key.verifying_key(), key.sign(b"hello"));
/// let claim = |message| Claim { key: (&verifying).into(), message, signature: &signature };
/// assert_eq!(verify_many(&[claim(b"hello"), claim(b"hullo")]), [true, false]);
/// ```
pub fn verify_many(claims: &[Claim<'_>]) -> Vec<bool> {
    let mut verdicts = Vec::with_capacity(claims.len());
    for claims in claims.chunks(TOGETHER) {
        let expected: Vec<_> = claims.iter().map(expected).collect();
        let points: Vec<_> = expected.iter().flatten().copied().collect();
        let mut encodings = encode_all(&points).into_iter();
        for (claim, expected) in claims.iter().zip(&expected) {
            let encoding = expected.and_then(|_| encodings.next());
            verdicts.push(encoding.is_some_and(|encoding| encoding == *claim.signature.r_bytes()));
        }
    }
    verdicts
}

impl Verifier<Signature> for VerifyingKey {
    /// Returns an error unless `signature` over `message` verifies under this key, as in [`verify_many`].
    ///
    /// Without a table this takes about three times as long as under a [`KeyTable`].
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        verify(&Claim { key: Under::Key(self), message, signature })
    }
}

impl Verifier<Signature> for KeyTable {
    /// Returns an error unless `signature` verifies under this table's key, as in [`verify_many`].
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
        verify(&Claim { key: Under::Table(self), message, signature })
    }
}

fn verify(claim: &Claim<'_>) -> Result<(), SignatureError> {
    let point = expected(claim).ok_or_else(SignatureError::new)?;
    (encode(&point) == *claim.signature.r_bytes()).then_some(()).ok_or_else(SignatureError::new)
}

/// Returns S·B − k·A, the point that R must encode. Returns `None` if S is too large or R is the neutral point. Runs
/// in variable time, because all values are public.
fn expected(claim: &Claim<'_>) -> Option<Point> {
    let (r, s) = (claim.signature.r_bytes(), claim.signature.s_bytes());
    let s = Option::<Scalar>::from(Scalar::from_canonical_bytes(*s))?.to_bytes();
    if *r == NEUTRAL {
        return None;
    }
    let key = match claim.key {
        Under::Key(key) => key,
        Under::Table(table) => table.key(),
    };
    let k = scalar_of(&[r, key.as_bytes(), claim.message]).to_bytes();
    Some(match claim.key {
        Under::Key(key) => straus::difference(public_row(), &s, key.point(), &k),
        Under::Table(table) => table::difference((public_base(), &s), (table.multiples(), &k)),
    })
}
