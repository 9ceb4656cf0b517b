//! Messages out of JSON, read strictly.
//!
//! Members that a format does not know are refused: nobody signed them. So are members given twice, which two
//! readers could understand differently.

use super::{
    BATCH_TYPE, BATCHED_TYPE, BUNDLE_TYPE, BatchedBundle, MAX_BATCH_MESSAGE, MAX_BUNDLES, MAX_MESSAGE,
    Message, Proof, SignedBatch, SignedBundle,
    claims::{Claims, Seal, Text, parse_hex},
    faults::{Faults, got, malformed},
    reader::Reader,
};
use crate::{
    error::{Code, Result},
    merkle::Node,
};

/// Reads a message and checks its structure.
///
/// # Errors
/// `MESSAGE_MALFORMED`, naming every field that is wrong.
pub fn decode(message: &[u8]) -> Result<Message<'_>> {
    assert_length(message, MAX_BATCH_MESSAGE)?;
    let envelope = Envelope::read(message)?;
    let mut content =
        envelope.content.ok_or_else(|| malformed("content: expected an object, got nothing"))?;
    match envelope.message_type.as_deref() {
        Some(BATCH_TYPE) if envelope.action.is_none() => read_batch(&mut content).map(Message::Batch),
        Some(BATCH_TYPE) => Err(malformed("action: expected none for a batch, got one")),
        Some(BUNDLE_TYPE) => {
            assert_length(message, MAX_MESSAGE)?;
            read_bundle(envelope.action, &mut content).map(Message::Bundle)
        }
        Some(BATCHED_TYPE) => {
            assert_length(message, MAX_MESSAGE)?;
            read_batched(envelope.action, &mut content).map(Message::Batched)
        }
        other => {
            let known = format!("\"{BUNDLE_TYPE}\", \"{BATCH_TYPE}\" or \"{BATCHED_TYPE}\"");
            Err(malformed(&format!("messageType: expected {known}, got {}", got(other))))
        }
    }
}

fn assert_length(message: &[u8], most: usize) -> Result<()> {
    match message.len() {
        length if length > most => Err(malformed(&format!("expected at most {most} bytes, got {length}"))),
        _ => Ok(()),
    }
}

/// The members of a message as they stand, each given at most once.
#[derive(Default)]
struct Envelope<'a> {
    action: Text<'a>,
    message_type: Text<'a>,
    content: Option<Reader<'a>>,
}

impl<'a> Envelope<'a> {
    fn read(message: &'a [u8]) -> Result<Self> {
        let mut envelope = Self::default();
        let mut reader = Reader::new(message)?;
        reader.object(&mut |reader, name| match name {
            "action" => reader.once(name, &mut envelope.action, Reader::string),
            "messageType" => reader.once(name, &mut envelope.message_type, Reader::string),
            "content" => reader.once(name, &mut envelope.content, Reader::skip),
            _ => Err(reader.unknown(name)),
        })?;
        reader.end()?;
        Ok(envelope)
    }
}

fn read_bundle<'a>(action: Text<'a>, reader: &mut Reader<'a>) -> Result<SignedBundle<'a>> {
    let (mut seal, mut claims) = (Seal::default(), Claims::of(action));
    reader.object(&mut |reader, name| match name {
        "signature" | "signer" => seal.member(reader, name),
        _ => claims.member(reader, name),
    })?;
    let mut faults = Faults::default();
    let (signature, signer) = seal.checked(&mut faults);
    let bundle = claims.checked(&mut faults, signer);
    let (bundle, signature) = bundle.zip(signature).ok_or_else(|| faults.error())?;
    Ok(SignedBundle { bundle: bundle.checked(Code::MessageMalformed)?, signature })
}

fn read_batched<'a>(action: Text<'a>, reader: &mut Reader<'a>) -> Result<BatchedBundle<'a>> {
    let (mut seal, mut claims) = (Seal::default(), Claims::of(action));
    let mut proof = None;
    reader.object(&mut |reader, name| match name {
        "signature" | "signer" => seal.member(reader, name),
        "proof" => reader.once(name, &mut proof, read_proof),
        _ => claims.member(reader, name),
    })?;
    let mut faults = Faults::default();
    let (signature, signer) = seal.checked(&mut faults);
    let proof = faults.present("proof", proof);
    let bundle = claims.checked(&mut faults, signer);
    let ((bundle, signature), proof) = bundle.zip(signature).zip(proof).ok_or_else(|| faults.error())?;
    Ok(BatchedBundle { bundle: bundle.checked(Code::MessageMalformed)?, proof, signature })
}

fn read_batch<'a>(reader: &mut Reader<'a>) -> Result<SignedBatch<'a>> {
    let (mut seal, mut items) = (Seal::default(), None);
    reader.object(&mut |reader, name| match name {
        "signature" | "signer" => seal.member(reader, name),
        "bundles" => reader.once(name, &mut items, read_items),
        _ => Err(reader.unknown(name)),
    })?;
    let mut faults = Faults::default();
    let (signature, signer) = seal.checked(&mut faults);
    let items = faults.present("bundles", items);
    let ((signature, signer), items) = signature.zip(signer).zip(items).ok_or_else(|| faults.error())?;
    if items.is_empty() {
        return Err(malformed("bundles: expected at least one, got none"));
    }
    let checked = |(at, claims): (usize, Claims<'a>)| {
        let mut faults = Faults::default();
        let bundle = claims.checked(&mut faults, Some(signer)).ok_or_else(|| faults.error());
        let bundle = bundle.and_then(|bundle| bundle.checked(Code::MessageMalformed));
        bundle.map_err(|error| malformed(&format!("bundles[{at}]: {}", error.message)))
    };
    let bundles = items.into_iter().enumerate().map(checked).collect::<Result<_>>()?;
    Ok(SignedBatch { signer, bundles, signature })
}

fn read_items<'a>(reader: &mut Reader<'a>) -> Result<Vec<Claims<'a>>> {
    reader.list("bundles", MAX_BUNDLES, |reader| {
        let mut claims = Claims::default();
        reader.object(&mut |reader, name| match name {
            "action" => reader.once(name, &mut claims.action, Reader::string),
            _ => claims.member(reader, name),
        })?;
        Ok(claims)
    })
}

/// A tree of [`MAX_BUNDLES`] leaves has 16 levels above them.
const MAX_PATH: usize = 16;

fn read_proof(reader: &mut Reader<'_>) -> Result<Proof> {
    let (mut index, mut size, mut path) = (None, None, None);
    reader.object(&mut |reader, name| match name {
        "index" => reader.once(name, &mut index, Reader::unsigned),
        "size" => reader.once(name, &mut size, Reader::unsigned),
        "path" => reader.once(name, &mut path, |reader| reader.list("path", MAX_PATH, read_node)),
        _ => Err(reader.unknown(name)),
    })?;
    match (index, size, path) {
        (Some(index), Some(size), Some(path)) if index < size && size <= MAX_BUNDLES => {
            Ok(Proof { index, size, path })
        }
        _ => Err(malformed(&format!(
            "proof: expected index, size and path, with index < size <= {MAX_BUNDLES}"
        ))),
    }
}

fn read_node(reader: &mut Reader<'_>) -> Result<Node> {
    let text = reader.string()?;
    parse_hex(&text).ok_or_else(|| {
        malformed(&format!("proof.path: expected 64 lower-case digits, got {}", got(Some(&text))))
    })
}
