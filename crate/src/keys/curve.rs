//! Selects the arithmetic of keys: [`ed25519x4`], or [`ed25519_dalek`] without the feature `simd`.

#[cfg(not(feature = "simd"))]
pub(super) use super::reference::{Claim, SigningKey, Tables, Under, VerifyingKey, verify_many};
#[cfg(feature = "simd")]
pub(super) use {
    super::tables::Tables,
    ed25519x4::{Claim, SigningKey, Under, VerifyingKey, verify_many},
};
