//! Writes length-prefixed texts for the signed and hashed bytes (`FORMAT.md`, "Identity bytes").

use alloc::vec::Vec;

/// Appends the length of a text, and then the text. Never inlined, because nine copies would be two kilobytes.
#[inline(never)]
pub(crate) fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// Appends a length as four bytes, most significant first. All lengths are far below 2³² (`limits`).
pub(crate) fn push_length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend_from_slice(&(length as u32).to_be_bytes());
}
