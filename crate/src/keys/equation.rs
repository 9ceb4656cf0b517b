//! What makes a signature good: S·B = R + k·A (RFC 8032 §5.1.7), without the cofactor, and only where all of it is in
//! its one spelling and of full order ("strict": Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs").

use super::signature::Signature;
use crate::digest::sha512;
use alloc::boxed::Box;
use curve25519_dalek::{
    EdwardsPoint, Scalar,
    constants::ED25519_BASEPOINT_POINT,
    edwards::{CompressedEdwardsY, VartimeEdwardsPrecomputation},
    traits::{IsIdentity as _, VartimePrecomputedMultiscalarMul as _},
};
use ed25519_dalek::VerifyingKey;
use once_cell::race::OnceBox;

/// The parts of the equation of one signature. A is known to be strict already: no other key can be read.
pub(super) struct Equation {
    pub(super) r: EdwardsPoint,
    pub(super) a: EdwardsPoint,
    pub(super) k: Scalar,
    pub(super) s: Scalar,
}

impl Equation {
    /// Nothing where the strict rules refuse the signature by its looks.
    pub(super) fn of(key: &VerifyingKey, bytes: &[u8], signature: &Signature) -> Option<Self> {
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        let s = Option::from(Scalar::from_canonical_bytes(*signature.s_bytes()))?;
        let encoded = CompressedEdwardsY(*signature.r_bytes());
        let r = encoded.decompress().filter(|r| !r.is_small_order() && is_canonical(&encoded.0))?;
        let k = challenge(&encoded.0, key.as_bytes(), bytes);
        Some(Self { r, a: key.to_edwards(), k, s })
    }

    pub(super) fn holds(&self) -> bool {
        (difference(self.s, &[self.k], &[self.a]) + self.r).is_identity()
    }
}

/// k: the hash of R, A and what is signed (RFC 8032 §5.1.7).
pub(super) fn challenge(r: &[u8; 32], key: &[u8; 32], bytes: &[u8]) -> Scalar {
    Scalar::from_bytes_mod_order_wide(&sha512(&[r, key, bytes]))
}

/// Whether the y of an encoded point is below 2²⁵⁵ − 19. A point has one such encoding, but for the sign of x = 0, and
/// those points are of small order.
fn is_canonical(encoded: &[u8; 32]) -> bool {
    encoded[0] < 0xed || encoded[31] & 0x7f != 0x7f || encoded[1..31].iter().any(|&byte| byte != 0xff)
}

/// Multiples of the negated base point, computed on first use, about a millisecond: as a constant they would be a tenth
/// of the compressed module.
static MINUS_BASE_POINT: OnceBox<VartimeEdwardsPrecomputation> = OnceBox::new();

/// The sum of all products of a scalar and its point, minus that multiple of the base point. In variable time, as
/// everything is public.
pub(super) fn difference(of_base: Scalar, scalars: &[Scalar], points: &[EdwardsPoint]) -> EdwardsPoint {
    let minus_base = MINUS_BASE_POINT
        .get_or_init(|| Box::new(VartimeEdwardsPrecomputation::new([-ED25519_BASEPOINT_POINT])));
    minus_base.vartime_mixed_multiscalar_mul([of_base], scalars, points)
}
