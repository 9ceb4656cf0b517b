//! Writes messages in JSON, into one buffer. The bytes are the same as from `JSON.stringify`.

use super::{
    BATCH_TYPE, BATCHED_TYPE, BUNDLE_TYPE, BatchedBundle, INPUTS_TYPE, Message, Proof, SignedBatch,
    SignedBundle, faults::malformed, plain::plain_length,
};
use crate::{
    bundle::{Bundle, VerifiedBundle},
    error::{Error, Result},
    inputs::{Input, Inputs, Short},
    keys::{KEY_ID_LENGTH, KeyId, SIGNATURE_LENGTH, Signature},
    limits::MAX_BATCH_MESSAGE,
    merkle::Node,
};
use alloc::{format, string::String, vec::Vec};

/// A message without its signature, which is replaced by zeros.
#[derive(Clone, Debug)]
pub struct Unsigned {
    bytes: Vec<u8>,
    signature_at: usize,
}

impl Unsigned {
    /// Writes the bundle/1 or bundle/2 message of a bundle.
    pub fn bundle(bundle: &Bundle<'_>) -> Self {
        let mut bytes = Vec::with_capacity(512 + 128 * bundle.annotations.len());
        push_action(&mut bytes, bundle);
        let signature_at = push_head(&mut bytes, bundle_type(bundle));
        push_signer(&mut bytes, bundle.signer.as_str());
        push_claims(&mut bytes, bundle);
        push(&mut bytes, "}}");
        Self { bytes, signature_at }
    }

    /// Writes the batch/1 message of bundles that were appended with [`push_item`].
    pub fn batch(signer: KeyId, items: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(384 + items.len());
        push(&mut bytes, "{");
        let signature_at = push_head(&mut bytes, BATCH_TYPE);
        push_signer(&mut bytes, signer.as_str());
        push(&mut bytes, r#""bundles":["#);
        bytes.extend_from_slice(items);
        push(&mut bytes, "]}}");
        Self { bytes, signature_at }
    }

    /// Inserts the signature, and returns the message.
    pub fn signed(mut self, signature: &Signature) -> Vec<u8> {
        let place = &mut self.bytes[self.signature_at..][..2 * SIGNATURE_LENGTH];
        // Ignore the result, because the slice has exactly the length that the encoder needs.
        let _ = base16ct::lower::encode(&signature.to_bytes(), place);
        self.bytes
    }
}

/// Writes a decoded message in JSON, in our writer's format.
///
/// # Errors
/// `MESSAGE_MALFORMED` for a message that is too long in JSON, because it was shorter in another encoding.
pub fn message(message: &Message<'_>) -> Result<Vec<u8>> {
    let bytes = match message {
        Message::Bundle(SignedBundle { bundle, signature }) => Unsigned::bundle(bundle).signed(signature),
        Message::Batched(one) => batched(one),
        Message::Batch(batch) => return whole_batch(batch),
    };
    if bytes.len() > MAX_BATCH_MESSAGE { Err(too_long()) } else { Ok(bytes) }
}

#[cold]
pub(super) fn too_long() -> Error {
    malformed(&format!("expected at most {MAX_BATCH_MESSAGE} bytes in JSON, got more"))
}

/// Length of a batch message without its bundles: members, message type, and two texts in hexadecimal.
const AROUND_BUNDLES: usize = r#"{"messageType":"","content":{"signature":"","signer":"","bundles":[]}}"#
    .len()
    + BATCH_TYPE.len()
    + 2 * SIGNATURE_LENGTH
    + KEY_ID_LENGTH;

fn whole_batch(SignedBatch { signer, bundles, signature }: &SignedBatch<'_>) -> Result<Vec<u8>> {
    let mut items = Vec::with_capacity(512 * bundles.len());
    for bundle in bundles {
        push_item(&mut items, bundle);
        if items.len() > MAX_BATCH_MESSAGE - AROUND_BUNDLES {
            return Err(too_long());
        }
    }
    Ok(Unsigned::batch(*signer, &items).signed(signature))
}

/// Writes the message of a bundle that was extracted from its batch.
pub fn batched(batched: &BatchedBundle<'_>) -> Vec<u8> {
    let BatchedBundle { bundle, proof, signature } = batched;
    let mut bytes = Vec::with_capacity(768 + 128 * bundle.annotations.len() + 67 * proof.path.len());
    push_action(&mut bytes, bundle);
    let signature_at = push_head(&mut bytes, BATCHED_TYPE);
    push_proof(&mut bytes, proof);
    push_signer(&mut bytes, bundle.signer.as_str());
    push_claims(&mut bytes, bundle);
    push(&mut bytes, "}}");
    Unsigned { bytes, signature_at }.signed(signature)
}

/// Appends one bundle of a batch. Adds a comma before it unless it is the first.
pub fn push_item(items: &mut Vec<u8>, bundle: &Bundle<'_>) {
    if !items.is_empty() {
        push(items, ",");
    }
    push_action(items, bundle);
    push_claims(items, bundle);
    push(items, "}");
}

/// Returns bundles and their ids as a JSON array of flat objects, for consumers of verified or claimed
/// bundles.
pub fn bundle_objects(bundles: &[VerifiedBundle<'_>]) -> String {
    let mut bytes = Vec::with_capacity(512 * bundles.len());
    push_objects(&mut bytes, bundles);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the outcomes of many messages as a JSON array. Each outcome is an array of bundles as in
/// [`bundle_objects`], or an object with code, signer (if known) and message.
pub fn outcomes(outcomes: &[Result<Vec<VerifiedBundle<'_>>>]) -> String {
    let mut bytes = Vec::with_capacity(512 * outcomes.len());
    push(&mut bytes, "[");
    for (at, outcome) in outcomes.iter().enumerate() {
        push(&mut bytes, if at == 0 { "" } else { "," });
        match outcome {
            Ok(bundles) => push_objects(&mut bytes, bundles),
            Err(error) => {
                push(&mut bytes, r#"{"code":""#);
                push(&mut bytes, error.code.as_str());
                push(&mut bytes, r#"","#);
                if let Some(signer) = &error.signer {
                    push_signer(&mut bytes, signer);
                }
                push(&mut bytes, r#""message":"#);
                push_string(&mut bytes, &error.message);
                push(&mut bytes, "}");
            }
        }
    }
    push(&mut bytes, "]");
    String::from_utf8(bytes).unwrap_or_default()
}

fn push_objects(bytes: &mut Vec<u8>, bundles: &[VerifiedBundle<'_>]) {
    push(bytes, "[");
    for (at, VerifiedBundle { bundle, id }) in bundles.iter().enumerate() {
        push(bytes, if at == 0 { "" } else { "," });
        push_action(bytes, bundle);
        push_id(bytes, id);
        push_signer(bytes, bundle.signer.as_str());
        push_claims(bytes, bundle);
        push(bytes, "}");
    }
    push(bytes, "]");
}

/// Appends `{"action":…,`.
fn push_action(bytes: &mut Vec<u8>, bundle: &Bundle<'_>) {
    push(bytes, r#"{"action":""#);
    push(bytes, bundle.action.as_str());
    push(bytes, r#"","#);
}

/// Appends `"messageType":…,"content":{"signature":…,`. Returns the position of the signature.
fn push_head(bytes: &mut Vec<u8>, message_type: &str) -> usize {
    push(bytes, r#""messageType":""#);
    push(bytes, message_type);
    push(bytes, r#"","content":{"signature":""#);
    let signature_at = bytes.len();
    bytes.resize(signature_at + 2 * SIGNATURE_LENGTH, b'0');
    push(bytes, r#"","#);
    signature_at
}

/// Returns the type of a message with only this bundle.
pub(super) fn bundle_type(bundle: &Bundle<'_>) -> &'static str {
    if bundle.inputs.is_some() { INPUTS_TYPE } else { BUNDLE_TYPE }
}

/// Appends `"proof":{"index":…,"size":…,"path":[…]},`
fn push_proof(bytes: &mut Vec<u8>, proof: &Proof) {
    push(bytes, &format!(r#""proof":{{"index":{},"size":{},"path":["#, proof.index, proof.size));
    for (at, node) in proof.path.iter().enumerate() {
        push(bytes, if at == 0 { "\"" } else { ",\"" });
        push(bytes, &base16ct::lower::encode_string(node));
        push(bytes, "\"");
    }
    push(bytes, "]},");
}

/// Appends `"id":…,`
fn push_id(bytes: &mut Vec<u8>, id: &Node) {
    push(bytes, r#""id":""#);
    let at = bytes.len();
    bytes.resize(at + 2 * id.len(), b'0');
    // Ignore the result, because the slice has exactly the length that the encoder needs.
    let _ = base16ct::lower::encode(id, &mut bytes[at..]);
    push(bytes, r#"","#);
}

/// Appends `"signer":…,`
fn push_signer(bytes: &mut Vec<u8>, signer: &str) {
    push(bytes, r#""signer":""#);
    push(bytes, signer);
    push(bytes, r#"","#);
}

/// Appends `"key":…,…,"annotations":[…]`
fn push_claims(bytes: &mut Vec<u8>, bundle: &Bundle<'_>) {
    push(bytes, r#""key":"#);
    push_string(bytes, &bundle.key);
    if let Some(previous) = &bundle.previous_key {
        push(bytes, r#","previousKey":"#);
        push_string(bytes, previous);
    }
    if let Some(inputs) = &bundle.inputs {
        push_inputs(bytes, inputs);
    }
    push(bytes, r#","hash":""#);
    push(bytes, bundle.hash.as_str());
    push(bytes, r#"","host":"#);
    push_string(bytes, &bundle.host);
    push(bytes, r#","layer":""#);
    push(bytes, bundle.layer.as_str());
    push(bytes, r#"","timestamp":"#);
    push_string(bytes, &bundle.timestamp);
    push(bytes, r#","annotations":["#);
    for (at, annotation) in bundle.annotations.iter().enumerate() {
        push(bytes, if at == 0 { r#"{"id":""# } else { r#",{"id":""# });
        push(bytes, annotation.id.as_str());
        push(bytes, r#"","kind":"#);
        push_string(bytes, &annotation.kind);
        push(bytes, r#","tag":"#);
        push_string(bytes, &annotation.tag);
        push(bytes, r#","isSatisfied":"#);
        push(bytes, if annotation.is_satisfied { "true}" } else { "false}" });
    }
    push(bytes, "]");
}

/// Appends `,"inputs":[…]` or `,"inputs":{"size":…,"root":…}`
#[inline(never)]
fn push_inputs(bytes: &mut Vec<u8>, inputs: &Inputs<'_>) {
    push(bytes, r#","inputs":"#);
    let start = bytes.len();
    let inputs = match inputs {
        Inputs::All(inputs) => inputs,
        Inputs::Short(Short { size, root }) => {
            let root = base16ct::lower::encode_string(root);
            return push(bytes, &format!(r#"{{"size":{size},"root":"{root}"}}"#));
        }
    };
    for (at, input) in inputs.iter().enumerate() {
        // Stop if the limit is exceeded; [`message`] then refuses the result. Inputs from CBOR can be six times as
        // long in JSON, and the core's memory never shrinks.
        if bytes.len() - start > MAX_BATCH_MESSAGE {
            break;
        }
        push(bytes, if at == 0 { "[{\"" } else { ",{\"" });
        match input {
            Input::Payload { hash, key } => {
                push(bytes, r#"hash":""#);
                push(bytes, hash.as_str());
                push(bytes, r#"","key":"#);
                push_string(bytes, key);
            }
            Input::Set(id) => {
                push(bytes, r#"set":"#);
                push_string(bytes, &base16ct::lower::encode_string(id));
            }
        }
        push(bytes, "}");
    }
    push(bytes, "]");
}

fn push(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(text.as_bytes());
}

/// Appends a JSON string (RFC 8259 §7). Escapes only quotation marks, backslashes and control characters, and uses
/// short escapes where they exist. `JSON.stringify` writes the same bytes.
fn push_string(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, others) = rest.split_at(plain_length(rest));
        bytes.extend_from_slice(plain);
        let Some((&special, others)) = others.split_first() else { break };
        push_escape(bytes, special);
        rest = others;
    }
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
