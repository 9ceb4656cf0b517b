//! The bytes that are published, in each encoding.

pub mod json;
mod reader;

/// `messageType` of a bundle on its own.
pub const BUNDLE_TYPE: &str = "alvarium.AnnotationBundle/1";
/// Longest message that is decoded, in bytes. The longest that [`crate::seal`] writes stays below it.
pub const MAX_MESSAGE: usize = 2 * 1024 * 1024;

use crate::{bundle::Bundle, keys::SIGNATURE_LENGTH};

/// A decoded message: sound in structure, but not yet believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBundle<'a> {
    /// What is claimed.
    pub bundle: Bundle<'a>,
    /// The signature over the bundle's identity bytes.
    pub signature: [u8; SIGNATURE_LENGTH],
}

/// Appends a JSON string (RFC 8259 §7): quotation mark, backslash and control characters escaped, nothing else,
/// with the short escapes where there are some. `JSON.stringify` writes the same bytes.
pub(crate) fn push_string(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\') {
        bytes.extend_from_slice(&rest[..at]);
        push_escape(bytes, rest[at]);
        rest = &rest[at + 1..];
    }
    bytes.extend_from_slice(rest);
    bytes.push(b'"');
}

fn push_escape(bytes: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        control => {
            let digit = b"0123456789abcdef"[usize::from(control & 15)];
            bytes.extend_from_slice(&[b'\\', b'u', b'0', b'0', b'0' + (control >> 4), digit]);
            return;
        }
    };
    bytes.extend_from_slice(&[b'\\', short]);
}
