//! The content of the three kinds of messages: which members it has, and what they are together.

use super::{
    BATCH_TYPE, BATCHED_TYPE, BUNDLE_TYPE, BatchedBundle, MAX_BATCH_MESSAGE, MAX_BUNDLES, MAX_MESSAGE,
    Message, Proof, SignedBatch, SignedBundle,
    claims::{Claims, Seal, Text, parse_hex},
    faults::{Faults, got, malformed},
    reader::Reader,
};
use crate::{
    bundle::Bundle,
    error::{Code, Result},
    keys::{KeyId, Signature},
    merkle::Node,
};
use alloc::{format, vec::Vec};

/// What a message is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Bundle,
    Batched,
    Batch,
}

impl Kind {
    pub(super) fn of(message_type: &str) -> Option<Self> {
        match message_type {
            BUNDLE_TYPE => Some(Self::Bundle),
            BATCHED_TYPE => Some(Self::Batched),
            BATCH_TYPE => Some(Self::Batch),
            _ => None,
        }
    }

    /// The longest message of this kind, in bytes.
    pub(super) fn longest(self) -> usize {
        match self {
            Self::Bundle | Self::Batched => MAX_MESSAGE,
            Self::Batch => MAX_BATCH_MESSAGE,
        }
    }
}

/// A content as it stands: what each kind has of it.
#[derive(Default)]
pub(super) struct Content<'a> {
    seal: Seal<'a>,
    claims: Claims<'a>,
    proof: Option<Proof>,
    bundles: Option<Vec<Claims<'a>>>,
}

impl<'a> Content<'a> {
    pub(super) fn read(reader: &mut Reader<'a>, kind: Kind) -> Result<Self> {
        let mut content = Self::default();
        reader.object(&mut |reader, name| match (kind, name) {
            (_, "signature" | "signer") => content.seal.member(reader, name),
            (Kind::Batched, "proof") => reader.once(name, &mut content.proof, read_proof),
            (Kind::Batch, "bundles") => reader.once(name, &mut content.bundles, read_items),
            (Kind::Batch, _) => Err(reader.unknown(name)),
            _ => content.claims.member(reader, name),
        })?;
        Ok(content)
    }

    /// The message, or all that is wrong with it.
    pub(super) fn checked(self, kind: Kind, action: Text<'a>) -> Result<Message<'a>> {
        let Self { seal, mut claims, proof, bundles } = self;
        let mut faults = Faults::default();
        if matches!(kind, Kind::Batch) {
            if action.is_some() {
                return Err(malformed("action: expected none for a batch, got one"));
            }
            let (signature, signer) = seal.checked(&mut faults);
            return batch(signature, signer, bundles, faults).map(Message::Batch);
        }
        claims.action = action;
        let (signature, signer) = seal.checked(&mut faults);
        let proof = match kind {
            Kind::Batched => faults.present("proof", proof).map(Some),
            _ => Some(None),
        };
        let bundle = claims.checked(&mut faults, signer);
        let all = bundle.zip(signature).zip(proof);
        let ((bundle, signature), proof) = all.ok_or_else(|| faults.error())?;
        let bundle = bundle.checked(Code::MessageMalformed)?;
        Ok(match proof {
            Some(proof) => Message::Batched(BatchedBundle { bundle, proof, signature }),
            None => Message::Bundle(SignedBundle { bundle, signature }),
        })
    }
}

fn batch<'a>(
    signature: Option<Signature>,
    signer: Option<KeyId>,
    items: Option<Vec<Claims<'a>>>,
    mut faults: Faults,
) -> Result<SignedBatch<'a>> {
    let items = faults.present("bundles", items);
    let ((signature, signer), items) = signature.zip(signer).zip(items).ok_or_else(|| faults.error())?;
    if items.is_empty() {
        return Err(malformed("bundles: expected at least one, got none"));
    }
    let checked = |(at, claims): (usize, Claims<'a>)| {
        item(claims, signer).map_err(|error| malformed(&format!("bundles[{at}]: {}", error.message)))
    };
    let bundles = items.into_iter().enumerate().map(checked).collect::<Result<_>>()?;
    Ok(SignedBatch { signer, bundles, signature })
}

fn item(claims: Claims<'_>, signer: KeyId) -> Result<Bundle<'_>> {
    let mut faults = Faults::default();
    let bundle = claims.checked(&mut faults, Some(signer)).ok_or_else(|| faults.error())?;
    bundle.checked(Code::MessageMalformed)
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
