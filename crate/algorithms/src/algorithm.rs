//! Signature algorithms other than Ed25519.

use elliptic_curve::pkcs8::{AssociatedOid as _, ObjectIdentifier};
use k256::Secp256k1;
use p256::NistP256;
use sm2::Sm2;

/// Signature algorithm of a key. With all three, a scalar has 32 bytes, a point 65 and a signature 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA (FIPS 186-5) over P-256, with SHA-256.
    P256 = 1,
    /// ECDSA over secp256k1 (SEC 2), with SHA-256.
    Secp256k1 = 2,
    /// SM2 (GB/T 32918.2) with SM3, and the signer's default identity.
    Sm2 = 3,
}

impl Algorithm {
    /// All algorithms, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::P256, Self::Secp256k1, Self::Sm2];

    /// Returns the algorithm with this number at the WebAssembly boundary.
    pub fn numbered(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| *algorithm as u8 == number)
    }

    /// Returns the object identifier by which key containers name the curve.
    pub const fn curve(self) -> ObjectIdentifier {
        match self {
            Self::P256 => NistP256::OID,
            Self::Secp256k1 => Secp256k1::OID,
            Self::Sm2 => Sm2::OID,
        }
    }

    /// Returns the algorithm over this curve.
    pub fn of_curve(curve: ObjectIdentifier) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.curve() == curve)
    }
}
