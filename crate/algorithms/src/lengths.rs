//! Lengths of keys and signatures, which are the same for all algorithms.

/// Length of a private key's scalar in bytes.
pub const SCALAR_LENGTH: usize = 32;

/// Length of a point in bytes, uncompressed (SEC 1 §2.3.3): `04 ‖ x ‖ y`.
pub const POINT_LENGTH: usize = 65;

/// Length of a signature in bytes.
pub const SIGNATURE_LENGTH: usize = 64;

/// A signature: r and s, 32 bytes each, most significant byte first.
pub type Signature = [u8; SIGNATURE_LENGTH];
