//! The arithmetic of keys: by [`ed25519x4`], or by [`ed25519_dalek`] alone without the feature `simd`.

#[cfg(not(feature = "simd"))]
pub(super) use super::reference::{Claim, SigningKey, Tables, Under, VerifyingKey, verify_many};
#[cfg(feature = "simd")]
pub(super) use {
    super::tables::Tables,
    ed25519x4::{Claim, SigningKey, Under, VerifyingKey, verify_many},
};
