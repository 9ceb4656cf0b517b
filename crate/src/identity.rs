//! The identity bytes: exactly what is signed. Nothing else lives here.
//!
//! Every text goes in behind its length, so two different bundles never give the same bytes; plain
//! concatenation does (tag `a` and kind `b` against tag `ab` and an empty kind), and lets an attacker move
//! characters from one signed field to the next. The first line separates these bytes from everything else
//! that an Ed25519 key may sign. No field depends on the encoding, so one signature verifies a bundle that
//! was stored as JSON, as CBOR or as rows of a table.

use crate::{bundle::Bundle, keys::KeyId, merkle::Node};
use alloc::vec::Vec;

/// First bytes of every bundle's identity: the format's name, version and a line feed.
pub const DOMAIN: &[u8] = b"alvarium.AnnotationBundle/1\n";

/// The identity bytes of a bundle (`FORMAT.md`, "Identity bytes").
pub fn identity_bytes(bundle: &Bundle<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    push_identity(&mut bytes, bundle);
    bytes
}

/// Appends the identity bytes of a bundle.
pub fn push_identity(bytes: &mut Vec<u8>, bundle: &Bundle<'_>) {
    bytes.extend_from_slice(DOMAIN);
    push_text(bytes, bundle.action.as_str());
    push_text(bytes, &bundle.key);
    match &bundle.previous_key {
        None => bytes.push(0),
        Some(key) => {
            bytes.push(1);
            push_text(bytes, key);
        }
    }
    push_text(bytes, bundle.hash.as_str());
    push_text(bytes, &bundle.host);
    push_text(bytes, bundle.layer.as_str());
    push_text(bytes, &bundle.timestamp);
    push_text(bytes, bundle.signer.as_str());
    push_length(bytes, bundle.annotations.len());
    for annotation in &bundle.annotations {
        push_text(bytes, annotation.id.as_str());
        push_text(bytes, &annotation.kind);
        push_text(bytes, &annotation.tag);
        bytes.push(u8::from(annotation.is_satisfied));
    }
}

/// First bytes of every batch's identity.
pub const BATCH_DOMAIN: &[u8] = b"alvarium.AnnotationBatch/1\n";

/// The identity bytes of a batch: its signer, its size, and the root over the identities of its bundles.
pub fn batch_identity_bytes(signer: KeyId, size: usize, root: &Node) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    bytes.extend_from_slice(BATCH_DOMAIN);
    push_text(&mut bytes, signer.as_str());
    push_length(&mut bytes, size);
    bytes.extend_from_slice(root);
    bytes
}

/// A call each: nine copies of it are two kilobytes.
#[inline(never)]
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// Lengths are four bytes, most significant first. All of them are far below 2³² (`bundle`'s limits).
fn push_length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend_from_slice(&(length as u32).to_be_bytes());
}
