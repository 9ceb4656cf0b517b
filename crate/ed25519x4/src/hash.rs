//! SHA-512 of several parts. RFC 8032 reduces every hash modulo ℓ, except that of the seed.

use curve25519_dalek::Scalar;
use sha2::{Digest as _, Sha512};
use zeroize::Zeroize as _;

/// Returns the SHA-512 of the concatenated parts.
#[inline(never)]
pub(crate) fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    let mut hasher = Sha512::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Returns the SHA-512 of the concatenated parts, modulo ℓ.
#[inline(never)]
pub(crate) fn scalar_of(parts: &[&[u8]]) -> Scalar {
    let mut hash = sha512(parts);
    let scalar = Scalar::from_bytes_mod_order_wide(&hash);
    hash.zeroize();
    scalar
}
