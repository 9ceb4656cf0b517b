//! ECDSA (FIPS 186-5 §6, SEC 1 §4.1) with SHA-256, over any curve of 256 bits.
//!
//! Two signatures, (r, s) and (r, n − s), satisfy the verification equation. Only the one with the lower s is valid
//! here, so a valid signature cannot be turned into another.

use crate::lengths::{POINT_LENGTH, SCALAR_LENGTH, Signature};
use ::ecdsa::{EcdsaCurve, RecoveryId, VerifyingKey, hazmat};
use elliptic_curve::{
    AffinePoint, CurveArithmetic, PublicKey, SecretKey,
    array::typenum::U32,
    scalar::IsHigh as _,
    sec1::{FromSec1Point, ToSec1Point},
};
use k256::Secp256k1;
use sha2::{Digest as _, Sha256};

/// Signs, and returns the recovery id. Bit 0 of the id is set if the y of the nonce's point is odd, and bit 1 if x is
/// n or more. The id says which of the points with this r recovers the key. It is computed from the nonce's point,
/// without trials.
pub fn sign<C>(scalar: &[u8; SCALAR_LENGTH], bytes: &[u8], entropy: &[u8]) -> Option<(Signature, u8)>
where
    C: EcdsaCurve + CurveArithmetic<FieldBytesSize = U32>,
{
    let secret = SecretKey::<C>::from_slice(scalar).ok()?.to_nonzero_scalar();
    let digest = Sha256::digest(bytes);
    let (signature, id) = hazmat::sign_prehashed_rfc6979::<C, Sha256>(&secret, &digest, entropy);
    // Flip bit 0 if s is high, because P-256 signatures are not normalized yet. The lower s belongs to the negated
    // point, whose y has the other parity.
    let id = id.to_byte() ^ u8::from(bool::from(signature.s().is_high()));
    Some((written(&signature.normalize_s())?, id))
}

/// Returns true if the signature verifies and has the lower s.
pub fn verifies<C>(point: &[u8; POINT_LENGTH], bytes: &[u8], signature: &Signature) -> bool
where
    C: EcdsaCurve + CurveArithmetic<FieldBytesSize = U32>,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let Ok(key) = PublicKey::<C>::from_sec1_bytes(point) else { return false };
    let Some(signature) = strict::<C>(signature) else { return false };
    hazmat::verify_prehashed(&key.to_projective(), &Sha256::digest(bytes), &signature).is_ok()
}

/// Recovers the public key from a signature over `bytes`, as a point (SEC 1 §4.1.6). The recovery id selects one of
/// the keys under which the signature verifies. Use this function if only an address or hash of the signer's
/// key is known.
pub fn recovered(bytes: &[u8], signature: &Signature, id: u8) -> Option<[u8; POINT_LENGTH]> {
    let (signature, id) = (strict::<Secp256k1>(signature)?, RecoveryId::from_byte(id)?);
    let key = VerifyingKey::recover_from_prehash(&Sha256::digest(bytes), &signature, id).ok()?;
    key.to_sec1_point(false).as_bytes().try_into().ok()
}

/// Returns the signature with the lower of the two valid values of s.
pub fn canonical<C>(signature: &Signature) -> Option<Signature>
where
    C: EcdsaCurve + CurveArithmetic<FieldBytesSize = U32>,
{
    written(&::ecdsa::Signature::<C>::from_slice(signature).ok()?.normalize_s())
}

/// Reads a signature with r and s from 1 to n − 1. Refuses the higher s.
fn strict<C>(signature: &Signature) -> Option<::ecdsa::Signature<C>>
where
    C: EcdsaCurve + CurveArithmetic<FieldBytesSize = U32>,
{
    let signature = ::ecdsa::Signature::<C>::from_slice(signature).ok()?;
    (!bool::from(signature.s().is_high())).then_some(signature)
}

fn written<C: EcdsaCurve>(signature: &::ecdsa::Signature<C>) -> Option<Signature> {
    signature.to_bytes().as_slice().try_into().ok()
}
