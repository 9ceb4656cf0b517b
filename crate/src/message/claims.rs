//! The parts of messages as they stand there, and how they become what they mean.

use super::{faults::Faults, reader::Reader};
use crate::{
    bundle::{Action, Annotation, Bundle, Layer, MAX_ANNOTATIONS},
    digest::{Hash, decode_hex},
    error::Result,
    keys::{KeyId, SIGNATURE_LENGTH, Signature},
    ulid::Ulid,
};
use alloc::{borrow::Cow, vec::Vec};

/// A member that is text, if it is there.
pub(super) type Text<'a> = Option<Cow<'a, str>>;

/// Who signed, and the signature.
#[derive(Default)]
pub(super) struct Seal<'a> {
    signature: Text<'a>,
    signer: Text<'a>,
}

impl<'a> Seal<'a> {
    pub(super) fn member(&mut self, reader: &mut Reader<'a>, name: &str) -> Result<()> {
        let slot = if name == "signer" { &mut self.signer } else { &mut self.signature };
        reader.once(name, slot, Reader::string)
    }

    pub(super) fn checked(self, faults: &mut Faults) -> (Option<Signature>, Option<KeyId>) {
        (
            faults.parsed(
                "signature",
                "128 lower-case hexadecimal digits",
                self.signature,
                parse_hex::<SIGNATURE_LENGTH>,
            ),
            faults.parsed("signer", "32 lower-case hexadecimal digits", self.signer, KeyId::parse),
        )
    }
}

/// What a bundle says, as it stands in the message.
#[derive(Default)]
pub(super) struct Claims<'a> {
    pub(super) action: Text<'a>,
    key: Text<'a>,
    previous_key: Text<'a>,
    hash: Text<'a>,
    host: Text<'a>,
    layer: Text<'a>,
    timestamp: Text<'a>,
    annotations: Option<Vec<Item<'a>>>,
}

impl<'a> Claims<'a> {
    pub(super) fn member(&mut self, reader: &mut Reader<'a>, name: &str) -> Result<()> {
        let slot = match name {
            "key" => &mut self.key,
            "previousKey" => &mut self.previous_key,
            "hash" => &mut self.hash,
            "host" => &mut self.host,
            "layer" => &mut self.layer,
            "timestamp" => &mut self.timestamp,
            "annotations" => {
                let items = |reader: &mut Reader<'a>| reader.list(name, MAX_ANNOTATIONS, Item::read);
                return reader.once(name, &mut self.annotations, items);
            }
            _ => return Err(reader.unknown(name)),
        };
        reader.once(name, slot, Reader::string)
    }

    /// Turns texts into their types; nothing where one does not fit, or is missing, which `faults` then names.
    pub(super) fn checked(self, faults: &mut Faults, signer: Option<KeyId>) -> Option<Bundle<'a>> {
        let action =
            faults.parsed("action", "create, mutate, transit or publish", self.action, Action::parse);
        let key = faults.present("key", self.key);
        let hash = faults.parsed("hash", "sha256, md5 or none", self.hash, Hash::parse);
        let host = faults.present("host", self.host);
        let layer = faults.parsed("layer", "app, cicd, os or host", self.layer, Layer::parse);
        let timestamp = faults.present("timestamp", self.timestamp);
        let items = faults.present("annotations", self.annotations)?;
        let count = items.len();
        let mut annotations = Vec::with_capacity(count);
        // All of them are looked at, so that all faults are named.
        items.into_iter().for_each(|item| annotations.extend(item.checked(faults)));
        Some(Bundle {
            action: action?,
            key: key?,
            previous_key: self.previous_key,
            hash: hash?,
            host: host?,
            layer: layer?,
            timestamp: timestamp?,
            signer: signer?,
            annotations: Some(annotations).filter(|good| good.len() == count)?,
        })
    }
}

/// An annotation as it stands in the message.
#[derive(Default)]
struct Item<'a> {
    id: Text<'a>,
    kind: Text<'a>,
    tag: Text<'a>,
    is_satisfied: Option<bool>,
}

impl<'a> Item<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self> {
        let mut item = Self::default();
        reader.object(&mut |reader, name| match name {
            "id" => reader.once(name, &mut item.id, Reader::string),
            "kind" => reader.once(name, &mut item.kind, Reader::string),
            "tag" => reader.once(name, &mut item.tag, Reader::string),
            "isSatisfied" => reader.once(name, &mut item.is_satisfied, Reader::boolean),
            _ => Err(reader.unknown(name)),
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

/// Bytes out of exactly twice as many lower-case digits.
pub(super) fn parse_hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    decode_hex(text, &mut bytes).then_some(bytes)
}
