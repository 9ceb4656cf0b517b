//! Reads the content of each kind of message, and checks the content's members.

use super::{
    BATCH_TYPE, BATCHED_TYPE, BUNDLE_TYPE, BatchedBundle, INPUTS_TYPE, Message, Proof, SignedBatch,
    SignedBundle,
    claims::{Claims, Seal, Text},
    faults::{Faults, malformed},
    source::Source,
};
use crate::{
    bundle::Bundle,
    error::{Code, Error, Result},
    inputs::Inputs,
    keys::{KeyId, Signature},
    limits::{MAX_BATCH_MESSAGE, MAX_BUNDLES, MAX_MESSAGE},
};
use alloc::{format, vec::Vec};
use core::cell::Cell;

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Bundle,
    /// A bundle with inputs.
    Made,
    Batched,
    Batch,
}

impl Kind {
    pub(super) fn of(message_type: &str) -> Option<Self> {
        match message_type {
            BUNDLE_TYPE => Some(Self::Bundle),
            INPUTS_TYPE => Some(Self::Made),
            BATCHED_TYPE => Some(Self::Batched),
            BATCH_TYPE => Some(Self::Batch),
            _ => None,
        }
    }

    /// Returns the maximum length in bytes of a message of this kind.
    pub(super) fn longest(self) -> usize {
        match self {
            Self::Bundle => MAX_MESSAGE,
            Self::Made | Self::Batched | Self::Batch => MAX_BATCH_MESSAGE,
        }
    }
}

/// Members in the content of a message of any kind, as read. Only `proof`, `bundles` and inputs have been
/// checked so far.
#[derive(Default)]
pub(super) struct Content<'a> {
    seal: Seal<'a>,
    claims: Claims<'a>,
    proof: Option<Proof>,
    bundles: Option<Vec<Bundle<'a>>>,
}

impl<'a> Content<'a> {
    /// Reads the content of a message, with the members of all kinds if the kind is not known yet.
    pub(super) fn read(source: &mut dyn Source<'a>, kind: Option<Kind>) -> Result<Self> {
        let mut content = Self::default();
        source.object(&mut |source, name| match (kind, name) {
            (_, "signature" | "signer") => content.seal.member(source, name),
            (Some(Kind::Batched) | None, "proof") => source.once(name, &mut content.proof, read_proof),
            (Some(Kind::Batch) | None, "bundles") => source.once(name, &mut content.bundles, read_bundles),
            (Some(Kind::Batch), _) => Err(source.unknown(name)),
            _ => content.claims.member(source, name),
        })?;
        Ok(content)
    }

    /// Returns true if the content has no members of other kinds of messages.
    fn fits(&self, kind: Kind) -> bool {
        match kind {
            Kind::Bundle => self.proof.is_none() && self.bundles.is_none() && !self.claims.has_inputs(),
            Kind::Made => self.proof.is_none() && self.bundles.is_none(),
            Kind::Batched => self.bundles.is_none(),
            Kind::Batch => self.proof.is_none() && self.claims.are_none(),
        }
    }

    /// Returns the maximum length in bytes of a message with these members.
    pub(super) fn longest(&self) -> usize {
        let is_long = self.bundles.is_some() || self.claims.has_inputs();
        if is_long { MAX_BATCH_MESSAGE } else { MAX_MESSAGE }
    }

    /// Returns the message, or an error that lists faults.
    pub(super) fn checked(self, kind: Kind, action: Text<'a>) -> Result<Message<'a>> {
        if !self.fits(kind) {
            return Err(malformed("content: expected members of its messageType only, got others"));
        }
        if matches!(kind, Kind::Made) && !self.claims.has_inputs() {
            return Err(malformed("inputs: expected one or more, got nothing"));
        }
        let Self { seal, mut claims, proof, bundles } = self;
        let mut faults = Faults::default();
        if matches!(kind, Kind::Batch) {
            if action.is_some() {
                return Err(malformed("action: cannot be combined with bundles"));
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
    bundles: Option<Vec<Bundle<'a>>>,
    mut faults: Faults,
) -> Result<SignedBatch<'a>> {
    let bundles = faults.present("bundles", bundles);
    let all = signature.zip(signer).zip(bundles);
    let ((signature, signer), mut bundles) = all.ok_or_else(|| faults.error())?;
    if bundles.is_empty() {
        return Err(malformed("bundles: expected at least one, got none"));
    }
    bundles.iter_mut().for_each(|bundle| bundle.signer = signer);
    Ok(SignedBatch { signer, bundles, signature })
}

fn read_bundles<'a>(source: &mut dyn Source<'a>) -> Result<Vec<Bundle<'a>>> {
    let at = Cell::new(0);
    source.list("bundles", MAX_BUNDLES, |source| {
        let claims = read_claims(source)?;
        let named = |error: Error| malformed(&format!("bundles[{}]: {}", at.get(), error.message));
        let bundle = unsigned(claims).map_err(named)?;
        at.set(at.get() + 1);
        Ok(bundle)
    })
}

fn read_claims<'a>(source: &mut dyn Source<'a>) -> Result<Claims<'a>> {
    let mut claims = Claims::default();
    source.bundle(&mut |source, name| match name {
        "action" => source.text(name, &mut claims.action),
        _ => claims.member(source, name),
    })?;
    Ok(claims)
}

/// Checks a bundle of a batch right after it has been read, so that a message of 16 MiB is refused at the first
/// invalid bundle. The signer is not known yet, because it may follow after the bundles.
fn unsigned(claims: Claims<'_>) -> Result<Bundle<'_>> {
    let mut faults = Faults::default();
    let bundle = claims.checked(&mut faults, Some(KeyId::UNTOLD)).ok_or_else(|| faults.error())?;
    if matches!(bundle.inputs, Some(Inputs::Short(_))) {
        return Err(malformed("inputs: expected an array in a batch, got an object"));
    }
    bundle.checked(Code::MessageMalformed)
}

/// Maximum length of an inclusion path. A tree of [`MAX_BUNDLES`] leaves has 16 levels above the leaves.
const MAX_PATH: usize = 16;

fn read_proof<'a>(source: &mut dyn Source<'a>) -> Result<Proof> {
    let (mut index, mut size, mut path) = (None, None, None);
    source.object(&mut |source, name| match name {
        "index" | "size" => {
            let slot = if name == "index" { &mut index } else { &mut size };
            source.once(name, slot, |source| source.unsigned())
        }
        "path" => {
            source.once(name, &mut path, |source| source.list("path", MAX_PATH, |source| source.node()))
        }
        _ => Err(source.unknown(name)),
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
