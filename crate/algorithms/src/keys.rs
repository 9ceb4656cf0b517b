//! Reads private keys from PKCS#8 (RFC 5958) and SEC 1 (RFC 5915), and public keys from points.
//!
//! Reading is strict. A scalar has 32 bytes and is from 1 to n − 1 (with SM2 to n − 2). A point is on its curve and
//! not at infinity. A public key stored with a private key must match it.

use crate::{
    algorithm::Algorithm,
    lengths::{POINT_LENGTH, SCALAR_LENGTH},
    sm2dsa,
};
use alloc::vec::Vec;
use elliptic_curve::{
    ALGORITHM_OID, AffinePoint, CurveArithmetic, FieldBytesSize, PublicKey, SecretKey,
    pkcs8::{
        AlgorithmIdentifierRef, ObjectIdentifier, PrivateKeyInfoRef,
        der::{Decode as _, Encode as _, asn1::OctetStringRef},
    },
    sec1::{FromSec1Point, ModulusSize, ToSec1Point},
};
use k256::Secp256k1;
use p256::NistP256;
use sec1::{EcParameters, EcPrivateKey};
use sm2::Sm2;
use zeroize::{Zeroize, Zeroizing};

/// Reason why a key is refused. It describes the input without key material.
pub type Fault = &'static str;

/// A private key and its public key. The private key is wiped when dropped, and never printed.
pub struct KeyPair {
    /// Algorithm of the key.
    pub algorithm: Algorithm,
    /// Scalar of the private key, most significant byte first.
    pub scalar: [u8; SCALAR_LENGTH],
    /// Point of the public key, uncompressed (SEC 1 §2.3.3).
    pub point: [u8; POINT_LENGTH],
}

impl Drop for KeyPair {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl KeyPair {
    /// Length in bytes of [`KeyPair::to_bytes`].
    pub const LENGTH: usize = 1 + SCALAR_LENGTH + POINT_LENGTH;

    /// Makes a key pair from a scalar. `public` is empty, or the matching point in either encoding of SEC 1.
    ///
    /// # Errors
    /// A description of the fault in the scalar or in the point.
    pub fn of(algorithm: Algorithm, scalar: &[u8], public: &[u8]) -> Result<Self, Fault> {
        let scalar = scalar.try_into().map_err(|_| "a private key of another length than 32 bytes")?;
        let point = public_half(algorithm, scalar).ok_or("a private key that is 0, or not below n")?;
        if algorithm == Algorithm::Sm2 && &point == sm2dsa::NO_KEY {
            return Err("the private key n - 1, with which SM2 cannot sign");
        }
        if !public.is_empty() && point_of(algorithm, public) != Some(point) {
            return Err("the public half of another key");
        }
        Ok(Self { algorithm, scalar: *scalar, point })
    }

    /// Reads a private key that names its curve: PKCS#8, or SEC 1 with parameters.
    ///
    /// # Errors
    /// A description of the fault in the input.
    pub fn read(der: &[u8]) -> Result<Self, Fault> {
        match PrivateKeyInfoRef::from_der(der) {
            Ok(info) => Self::from_pkcs8(&info),
            Err(_) => Self::from_sec1(&EcPrivateKey::from_der(der).map_err(|_| "damaged DER")?, None),
        }
    }

    fn from_pkcs8(info: &PrivateKeyInfoRef<'_>) -> Result<Self, Fault> {
        if info.algorithm.oid != ALGORITHM_OID {
            return Err("a key of another algorithm");
        }
        let curve = info.algorithm.parameters_oid().map_err(|_| "a curve that is not named")?;
        let key = EcPrivateKey::from_der(info.private_key.as_bytes()).map_err(|_| "damaged DER")?;
        let pair = Self::from_sec1(&key, Some(curve))?;
        match info.public_key.and_then(|public| public.as_bytes()) {
            Some(public) => Self::of(pair.algorithm, &pair.scalar, public),
            None => Ok(pair),
        }
    }

    fn from_sec1(key: &EcPrivateKey<'_>, outer: Option<ObjectIdentifier>) -> Result<Self, Fault> {
        let inner = key.parameters.map(|EcParameters::NamedCurve(curve)| curve);
        let curve = outer.or(inner).ok_or("a curve that is not named")?;
        if inner.is_some_and(|inner| inner != curve) {
            return Err("two curves");
        }
        let algorithm = Algorithm::of_curve(curve).ok_or("a key on another curve")?;
        Self::of(algorithm, key.private_key, key.public_key.unwrap_or_default())
    }

    /// Makes a new key pair from the first valid scalar among candidates of 32 random bytes. With four candidates,
    /// the probability that none is valid is 2⁻¹²⁸.
    pub fn generate(algorithm: Algorithm, candidates: &[u8]) -> Option<Self> {
        let (candidates, _) = candidates.as_chunks::<SCALAR_LENGTH>();
        candidates.iter().find_map(|scalar| Self::of(algorithm, scalar, &[]).ok())
    }

    /// Encodes the pair in PKCS#8, in the form that OpenSSL writes.
    pub fn to_pkcs8(&self) -> Option<Vec<u8>> {
        let key = EcPrivateKey { private_key: &self.scalar, parameters: None, public_key: Some(&self.point) };
        let key = Zeroizing::new(key.to_der().ok()?);
        let curve = self.algorithm.curve();
        let algorithm = AlgorithmIdentifierRef { oid: ALGORITHM_OID, parameters: Some((&curve).into()) };
        PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(&key).ok()?).to_der().ok()
    }

    /// Returns the algorithm's number, the scalar and the point, concatenated. JavaScript keeps keys in this form.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&[self.algorithm as u8], &self.scalar[..], &self.point[..]].concat()
    }

    /// Reads the bytes of [`KeyPair::to_bytes`]. It trusts the point, and does not compute it again.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (number, halves) = bytes.split_first()?;
        let (scalar, point) = halves.split_at_checked(SCALAR_LENGTH)?;
        let algorithm = Algorithm::numbered(*number)?;
        Some(Self { algorithm, scalar: scalar.try_into().ok()?, point: point.try_into().ok()? })
    }
}

/// Returns a public key as an uncompressed point, from either encoding of SEC 1 §2.3.4. Returns `None` if the point
/// is not on the curve, is at infinity, or is in the hybrid encoding.
pub fn point_of(algorithm: Algorithm, encoded: &[u8]) -> Option<[u8; POINT_LENGTH]> {
    if !matches!(encoded, [0x02 | 0x03, ..] | [0x04, ..]) {
        return None;
    }
    match algorithm {
        Algorithm::P256 => read_point::<NistP256>(encoded),
        Algorithm::Secp256k1 => read_point::<Secp256k1>(encoded),
        Algorithm::Sm2 => read_point::<Sm2>(encoded),
    }
}

fn read_point<C: CurveArithmetic>(encoded: &[u8]) -> Option<[u8; POINT_LENGTH]>
where
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    written(&PublicKey::<C>::from_sec1_bytes(encoded).ok()?)
}

fn public_half(algorithm: Algorithm, scalar: &[u8; SCALAR_LENGTH]) -> Option<[u8; POINT_LENGTH]> {
    match algorithm {
        Algorithm::P256 => multiplied::<NistP256>(scalar),
        Algorithm::Secp256k1 => multiplied::<Secp256k1>(scalar),
        Algorithm::Sm2 => multiplied::<Sm2>(scalar),
    }
}

fn multiplied<C: CurveArithmetic>(scalar: &[u8; SCALAR_LENGTH]) -> Option<[u8; POINT_LENGTH]>
where
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    written(&SecretKey::<C>::from_slice(scalar).ok()?.public_key())
}

fn written<C: CurveArithmetic>(key: &PublicKey<C>) -> Option<[u8; POINT_LENGTH]>
where
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    key.as_affine().to_sec1_point(false).as_bytes().try_into().ok()
}
