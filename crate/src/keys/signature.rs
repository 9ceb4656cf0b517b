//! What a signature is, as bytes.

/// Length of a signature in bytes.
pub const SIGNATURE_LENGTH: usize = 64;

/// An Ed25519 signature (RFC 8032 §5.1.6): R and S, 32 bytes each.
pub type Signature = [u8; SIGNATURE_LENGTH];
