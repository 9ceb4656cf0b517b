//! Collects the members of messages as they are read, and converts them to types.

use super::{
    faults::Faults,
    inputs::read_inputs,
    source::{Key, Source, parse_hex},
};
use crate::{
    bundle::{Action, Annotation, Bundle, Layer},
    digest::Hash,
    error::Result,
    inputs::Inputs,
    keys::{KeyId, SIGNATURE_LENGTH, Signature},
    limits::MAX_ANNOTATIONS,
    ulid::Ulid,
};
use alloc::{borrow::Cow, vec::Vec};

/// A text member, if the message has it.
pub(super) type Text<'a> = Option<Cow<'a, str>>;

/// Members `signature` and `signer` of a message, not yet checked.
#[derive(Default)]
pub(super) struct Seal<'a> {
    signature: Text<'a>,
    signer: Text<'a>,
}

impl<'a> Seal<'a> {
    pub(super) fn member(&mut self, source: &mut dyn Source<'a>, name: &str) -> Result<()> {
        let slot = if name == "signer" { &mut self.signer } else { &mut self.signature };
        source.once(name, slot, |source| source.digits())
    }

    pub(super) fn checked(self, faults: &mut Faults) -> (Option<Signature>, Option<KeyId>) {
        (
            faults.parsed("signature", "128 lower-case hexadecimal digits", self.signature, |text| {
                parse_hex::<SIGNATURE_LENGTH>(text).map(Signature::from)
            }),
            faults.parsed("signer", "32 lower-case hexadecimal digits", self.signer, KeyId::parse),
        )
    }
}

/// Members of a bundle, as read from the message. Only `inputs` has been checked so far.
#[derive(Default)]
pub(super) struct Claims<'a> {
    pub(super) action: Text<'a>,
    key: Option<Key<'a>>,
    previous_key: Option<Key<'a>>,
    inputs: Option<Inputs<'a>>,
    hash: Text<'a>,
    host: Text<'a>,
    layer: Text<'a>,
    timestamp: Text<'a>,
    annotations: Option<Vec<Item<'a>>>,
}

impl<'a> Claims<'a> {
    pub(super) fn member(&mut self, source: &mut dyn Source<'a>, name: &str) -> Result<()> {
        let slot = match name {
            "key" | "previousKey" => {
                let slot = if name == "key" { &mut self.key } else { &mut self.previous_key };
                return source.once(name, slot, |source| source.key());
            }
            "inputs" => return source.once(name, &mut self.inputs, read_inputs),
            "hash" => &mut self.hash,
            "host" => &mut self.host,
            "layer" => &mut self.layer,
            "timestamp" => &mut self.timestamp,
            "annotations" => {
                let items = |source: &mut dyn Source<'a>| source.list(name, MAX_ANNOTATIONS, Item::read);
                return source.once(name, &mut self.annotations, items);
            }
            _ => return Err(source.unknown(name)),
        };
        source.text(name, slot)
    }

    /// Returns true if the message has none of these members.
    pub(super) fn are_none(&self) -> bool {
        let texts = [&self.action, &self.hash, &self.host, &self.layer, &self.timestamp];
        let keys = [&self.key, &self.previous_key];
        texts.iter().all(|text| text.is_none())
            && keys.iter().all(|key| key.is_none())
            && self.annotations.is_none()
            && !self.has_inputs()
    }

    pub(super) fn has_inputs(&self) -> bool {
        self.inputs.is_some()
    }

    /// Converts the members to their types. Returns `None` and names the faults if one is missing or invalid.
    pub(super) fn checked(self, faults: &mut Faults, signer: Option<KeyId>) -> Option<Bundle<'a>> {
        let action =
            faults.parsed("action", "create, mutate, transit or publish", self.action, Action::parse);
        let hash = faults.parsed("hash", "sha256, md5 or none", self.hash, Hash::parse);
        let key = faults.present("key", self.key);
        let key = key.and_then(|key| key_text(faults, "key", key, hash?));
        let previous_key = match self.previous_key {
            Some(key) => hash.and_then(|hash| key_text(faults, "previousKey", key, hash)).map(Some),
            None => Some(None),
        };
        let host = faults.present("host", self.host);
        let layer = faults.parsed("layer", "app, cicd, os or host", self.layer, Layer::parse);
        let timestamp = faults.present("timestamp", self.timestamp);
        let items = faults.present("annotations", self.annotations)?;
        let count = items.len();
        let mut annotations = Vec::with_capacity(count);
        // Check all annotations, so that the error can name faults of several.
        items.into_iter().for_each(|item| annotations.extend(item.checked(faults)));
        Some(Bundle {
            action: action?,
            key: key?,
            previous_key: previous_key?,
            inputs: self.inputs,
            hash: hash?,
            host: host?,
            layer: layer?,
            timestamp: timestamp?,
            signer: signer?,
            annotations: Some(annotations).filter(|good| good.len() == count)?,
        })
    }
}

/// Checks the form of a key. In CBOR, a digest must be bytes, and a payload that is its own key must be text.
#[inline(never)]
fn key_text<'a>(faults: &mut Faults, field: &str, key: Key<'a>, hash: Hash) -> Option<Cow<'a, str>> {
    if key.is_bytes.is_none_or(|is_bytes| is_bytes == hash.digest_length().is_some()) {
        return Some(key.text);
    }
    faults.wrong(field, "CBOR bytes, or text with hash none", "the wrong type");
    None
}

/// Members of an annotation in the message, not yet checked.
#[derive(Default)]
struct Item<'a> {
    id: Text<'a>,
    kind: Text<'a>,
    tag: Text<'a>,
    is_satisfied: Option<bool>,
}

impl<'a> Item<'a> {
    fn read(source: &mut dyn Source<'a>) -> Result<Self> {
        let mut item = Self::default();
        source.object(&mut |source, name| match name {
            "id" => source.text(name, &mut item.id),
            "kind" => source.text(name, &mut item.kind),
            "tag" => source.text(name, &mut item.tag),
            "isSatisfied" => source.once(name, &mut item.is_satisfied, |source| source.boolean()),
            _ => Err(source.unknown(name)),
        })?;
        Ok(item)
    }

    fn checked(self, faults: &mut Faults) -> Option<Annotation<'a>> {
        let id = faults.parsed("annotations.id", "a ULID of 26 characters", self.id, Ulid::parse);
        let kind = faults.present("annotations.kind", self.kind);
        let tag = faults.present("annotations.tag", self.tag);
        let is_satisfied = faults.present("annotations.isSatisfied", self.is_satisfied);
        Some(Annotation { id: id?, kind: kind?, tag: tag?, is_satisfied: is_satisfied? })
    }
}
