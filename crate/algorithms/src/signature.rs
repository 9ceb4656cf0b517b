//! Signs and verifies with the algorithm of the key. A signature is r ‖ s, 64 bytes, as `FORMAT.md` allows.

use crate::{
    algorithm::Algorithm,
    ecdsa,
    keys::KeyPair,
    lengths::{POINT_LENGTH, SIGNATURE_LENGTH, Signature},
    sm2dsa,
};
use elliptic_curve::pkcs8::der::{Error, Reader as _, SliceReader, asn1::UintRef};
use k256::Secp256k1;
use p256::NistP256;

impl KeyPair {
    /// Signs bytes. The nonce is computed by RFC 6979, with `entropy` as additional data (§3.6). Without entropy the
    /// signature is deterministic. With entropy, a correct and a faulty signature over the same bytes do not reveal
    /// the key.
    ///
    /// # Returns
    /// The signature and its recovery id ([`ecdsa::sign`]). With SM2, the id is 0.
    pub fn sign(&self, bytes: &[u8], entropy: &[u8]) -> Option<(Signature, u8)> {
        match self.algorithm {
            Algorithm::P256 => ecdsa::sign::<NistP256>(&self.scalar, bytes, entropy),
            Algorithm::Secp256k1 => ecdsa::sign::<Secp256k1>(&self.scalar, bytes, entropy),
            Algorithm::Sm2 => Some((sm2dsa::sign(&self.scalar, bytes, entropy)?, 0)),
        }
    }
}

/// Returns true if `signature` over `bytes` verifies under the key with this point, and has the only valid encoding.
pub fn verifies(
    algorithm: Algorithm,
    point: &[u8; POINT_LENGTH],
    bytes: &[u8],
    signature: &Signature,
) -> bool {
    match algorithm {
        Algorithm::P256 => ecdsa::verifies::<NistP256>(point, bytes, signature),
        Algorithm::Secp256k1 => ecdsa::verifies::<Secp256k1>(point, bytes, signature),
        Algorithm::Sm2 => sm2dsa::verifies(point, bytes, signature),
    }
}

/// Converts a signature with either s, as r ‖ s or in DER, to its only valid encoding. Key stores return
/// all these forms.
pub fn canonical(algorithm: Algorithm, signature: &[u8]) -> Option<Signature> {
    let signature = signature.try_into().ok().or_else(|| from_der(signature))?;
    match algorithm {
        Algorithm::P256 => ecdsa::canonical::<NistP256>(&signature),
        Algorithm::Secp256k1 => ecdsa::canonical::<Secp256k1>(&signature),
        Algorithm::Sm2 => sm2dsa::canonical(&signature),
    }
}

/// Reads a DER sequence of two integers (RFC 3279 §2.2.3).
fn from_der(der: &[u8]) -> Option<Signature> {
    let mut reader = SliceReader::new(der).ok()?;
    let (r, s): (UintRef<'_>, UintRef<'_>) =
        reader.sequence::<_, _, Error>(|inside| Ok((inside.decode()?, inside.decode()?))).ok()?;
    let mut signature = [0; SIGNATURE_LENGTH];
    for (place, number) in signature.chunks_mut(SIGNATURE_LENGTH / 2).zip([r, s]) {
        let start = place.len().checked_sub(number.as_bytes().len())?;
        place[start..].copy_from_slice(number.as_bytes());
    }
    reader.is_finished().then_some(signature)
}
