//! Writes messages in CBOR's core deterministic encoding (RFC 8949 §4.2.1), with members in the order of numbers.

use super::{
    super::{BATCH_TYPE, BATCHED_TYPE, Message, Proof, write::bundle_type},
    names::Member,
    rows::RowWriter,
};
use crate::{
    bundle::{Annotation, Bundle},
    digest::{Hash, decode_hex},
    inputs::{Input, Inputs},
    keys::{KeyId, Signature},
};
use alloc::vec::Vec;
use core::convert::Infallible;
use minicbor::{Encoder, encode::Write};

pub(super) fn write(message: &Message<'_>) -> Vec<u8> {
    let mut to = Writer::default();
    match message {
        Message::Bundle(signed) => {
            to.head(
                Some(&signed.bundle),
                bundle_type(&signed.bundle),
                &signed.signature,
                claims(&signed.bundle) + 2,
            );
            to.signer(signed.bundle.signer);
            to.claims(&signed.bundle);
            to.inputs(&signed.bundle);
        }
        Message::Batched(batched) => {
            let members = claims(&batched.bundle) + 3;
            to.head(Some(&batched.bundle), BATCHED_TYPE, &batched.signature, members);
            to.signer(batched.bundle.signer);
            to.claims(&batched.bundle);
            to.proof(&batched.proof);
            to.inputs(&batched.bundle);
        }
        Message::Batch(batch) => {
            to.head(None, BATCH_TYPE, &batch.signature, 3);
            to.signer(batch.signer);
            to.array(Member::Bundles, batch.bundles.len());
            let mut rows = RowWriter::default();
            batch.bundles.iter().for_each(|bundle| to.row(bundle, &mut rows));
        }
    }
    to.into_bytes()
}

/// Returns the number of members that [`Writer::claims`] and [`Writer::inputs`] write.
fn claims(bundle: &Bundle<'_>) -> usize {
    6 + usize::from(bundle.previous_key.is_some()) + usize::from(bundle.inputs.is_some())
}

/// Bytes written so far. Writing never fails, so the results of minicbor are ignored.
#[derive(Default)]
pub(super) struct Buffer(Vec<u8>);

impl Write for Buffer {
    type Error = Infallible;

    #[inline(never)]
    fn write_all(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

pub(super) struct Writer(pub(super) Encoder<Buffer>);

impl Default for Writer {
    fn default() -> Self {
        Self(Encoder::new(Buffer::default()))
    }
}

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_writer().0
    }

    /// Appends encoded items of another writer.
    pub(super) fn append(&mut self, items: &[u8]) {
        self.0.writer_mut().0.extend_from_slice(items);
    }

    /// Writes the start of a message up to the signature. The content has `members` members.
    fn head(
        &mut self,
        bundle: Option<&Bundle<'_>>,
        message_type: &str,
        signature: &Signature,
        members: usize,
    ) {
        self.map(2 + usize::from(bundle.is_some()));
        if let Some(bundle) = bundle {
            self.text(Member::Action, bundle.action.as_str());
        }
        self.text(Member::MessageType, message_type);
        self.member(Member::Content);
        self.map(members);
        self.bytes(Member::Signature, &signature.to_bytes());
    }

    fn signer(&mut self, signer: KeyId) {
        self.bytes(Member::Signer, &signer.to_bytes());
    }

    fn claims(&mut self, bundle: &Bundle<'_>) {
        self.key(Member::Key, &bundle.key, bundle.hash);
        if let Some(previous) = &bundle.previous_key {
            self.key(Member::PreviousKey, previous, bundle.hash);
        }
        self.text(Member::Hash, bundle.hash.as_str());
        self.text(Member::Host, &bundle.host);
        self.text(Member::Layer, bundle.layer.as_str());
        self.text(Member::Timestamp, &bundle.timestamp);
        self.array(Member::Annotations, bundle.annotations.len());
        bundle.annotations.iter().for_each(|annotation| self.annotation(annotation));
    }

    fn key(&mut self, member: Member, key: &str, hash: Hash) {
        self.member(member);
        self.key_item(key, hash);
    }

    /// Writes a key. A digest is written as bytes, and a payload that is its own key as text.
    #[inline(never)]
    pub(super) fn key_item(&mut self, key: &str, hash: Hash) {
        let Some(length) = hash.digest_length() else {
            let _ = self.0.str(key);
            return;
        };
        let mut digest = [0; 32];
        // Ignore the result: decoding would have refused a message with other digits than upper-case ones.
        decode_hex(&key.to_ascii_lowercase(), &mut digest[..length]);
        let _ = self.0.bytes(&digest[..length]);
    }

    fn annotation(&mut self, annotation: &Annotation<'_>) {
        self.map(4);
        self.text(Member::Id, annotation.id.as_str());
        self.answer(annotation);
    }

    /// Writes the members of an annotation that follow the id.
    #[inline(never)]
    pub(super) fn answer(&mut self, annotation: &Annotation<'_>) {
        self.text(Member::Kind, &annotation.kind);
        self.text(Member::Tag, &annotation.tag);
        self.member(Member::IsSatisfied);
        let _ = self.0.bool(annotation.is_satisfied);
    }

    fn proof(&mut self, Proof { index, size, path }: &Proof) {
        self.member(Member::Proof);
        self.map(3);
        for (member, number) in [(Member::Index, *index), (Member::Size, *size)] {
            self.member(member);
            let _ = self.0.u64(number as u64);
        }
        self.array(Member::Path, path.len());
        for node in path {
            let _ = self.0.bytes(node);
        }
    }

    /// Writes all inputs. A message with only the root of its inputs is never written in CBOR.
    fn inputs(&mut self, bundle: &Bundle<'_>) {
        let Some(Inputs::All(inputs)) = &bundle.inputs else { return };
        self.member(Member::Inputs);
        self.input_items(inputs);
    }

    #[inline(never)]
    pub(super) fn input_items(&mut self, inputs: &[Input<'_>]) {
        let _ = self.0.array(inputs.len() as u64);
        for input in inputs {
            match input {
                Input::Payload { hash, key } => {
                    self.map(2);
                    self.key(Member::Key, key, *hash);
                    self.text(Member::Hash, hash.as_str());
                }
                Input::Set(id) => {
                    self.map(1);
                    self.bytes(Member::Set, id);
                }
            }
        }
    }

    fn member(&mut self, member: Member) {
        let _ = self.0.u8(member as u8);
    }

    #[inline(never)]
    pub(super) fn text(&mut self, member: Member, text: &str) {
        self.member(member);
        let _ = self.0.str(text);
    }

    #[inline(never)]
    fn bytes(&mut self, member: Member, bytes: &[u8]) {
        self.member(member);
        let _ = self.0.bytes(bytes);
    }

    pub(super) fn array(&mut self, member: Member, length: usize) {
        self.member(member);
        let _ = self.0.array(length as u64);
    }

    pub(super) fn map(&mut self, length: usize) {
        let _ = self.0.map(length as u64);
    }
}
