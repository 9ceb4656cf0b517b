//! Identity bytes of bundles and batches: exactly the bytes that are signed.
//!
//! Every text is preceded by its length, so two different bundles never have the same bytes. With plain
//! concatenation, tag `a` and kind `b` would equal tag `ab` and an empty kind. An attacker could then move characters
//! from one signed field to the next. The first line separates these bytes from everything else that an Ed25519 key
//! may sign. No field depends on the encoding, so one signature verifies a bundle in JSON, in CBOR, or as rows of a
//! table.

use crate::{
    bundle::Bundle,
    inputs::Short,
    keys::KeyId,
    merkle::Node,
    prefixed::{push_length, push_text},
};
use alloc::vec::Vec;

/// First bytes of every bundle's identity: the name and version of the format, and a line feed.
pub const DOMAIN: &[u8] = b"alvarium.AnnotationBundle/1\n";

/// First bytes of the identity of a bundle that has inputs.
pub const INPUTS_DOMAIN: &[u8] = b"alvarium.AnnotationBundle/2\n";

/// Returns the identity bytes of a bundle (`FORMAT.md`, "Identity bytes").
pub fn identity_bytes(bundle: &Bundle<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    push_identity(&mut bytes, bundle);
    bytes
}

/// Appends the identity bytes of a bundle.
pub fn push_identity(bytes: &mut Vec<u8>, bundle: &Bundle<'_>) {
    bytes.extend_from_slice(if bundle.inputs.is_some() { INPUTS_DOMAIN } else { DOMAIN });
    push_text(bytes, bundle.action.as_str());
    push_text(bytes, &bundle.key);
    match (&bundle.inputs, &bundle.previous_key) {
        (Some(inputs), _) => {
            let Short { size, root } = inputs.short();
            push_length(bytes, size);
            bytes.extend_from_slice(&root);
        }
        (None, None) => bytes.push(0),
        (None, Some(key)) => {
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

/// First bytes of every batch's identity bytes.
pub const BATCH_DOMAIN: &[u8] = b"alvarium.AnnotationBatch/1\n";

/// Returns the identity bytes of a batch: its signer, its size, and the root over the identities of its bundles.
pub fn batch_identity_bytes(signer: KeyId, size: usize, root: &Node) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    bytes.extend_from_slice(BATCH_DOMAIN);
    push_text(&mut bytes, signer.as_str());
    push_length(&mut bytes, size);
    bytes.extend_from_slice(root);
    bytes
}
