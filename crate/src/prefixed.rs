//! Texts and lengths as they go into what is signed and hashed (`FORMAT.md`, "Identity bytes").

use alloc::vec::Vec;

/// A text behind its length. A call each: nine copies of it are two kilobytes.
#[inline(never)]
pub(crate) fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// Lengths are four bytes, most significant first. All of them are far below 2³² (`limits`).
pub(crate) fn push_length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend_from_slice(&(length as u32).to_be_bytes());
}
