//! One SDK call, sealed: payload and answers in, message bytes out.

use crate::{
    batch::Batch,
    bundle::{Action, Annotation, Bundle, Layer},
    digest::{Hash, Payload},
    error::{Code, Result},
    identity::identity_bytes,
    inputs::{Inputs, Short},
    keys::{KeyId, Signature, SigningKey},
    limits::{MAX_ANNOTATORS, MAX_NAME, MAX_TAG},
    merkle::{Frontier, Node, Texts},
    message::write::Unsigned,
    sha256x4::Digest,
    timestamp,
    ulid::UlidGenerator,
};
use alloc::{borrow::Cow, borrow::ToOwned as _, format, string::String, vec::Vec};
use core::{mem, ops::RangeInclusive};

/// The annotators of an SDK, registered once so that no call carries their names.
#[derive(Clone, Debug, Default)]
pub struct Annotators {
    kinds: Vec<String>,
    tag: String,
}

impl Annotators {
    /// Annotators by kind, all with one tag. The first one answers in bit 0.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when a kind or the tag break the limits of a bundle, or there are too many.
    pub fn new<K: Into<String>>(kinds: impl IntoIterator<Item = K>, tag: &str) -> Result<Self> {
        let kinds: Vec<String> = kinds.into_iter().map(Into::into).collect();
        within("annotators", kinds.len(), 0..=MAX_ANNOTATORS, "annotators")?;
        within("tag", tag.len(), 0..=MAX_TAG, "bytes")?;
        for (at, kind) in kinds.iter().enumerate() {
            within(&format!("annotators[{at}].kind"), kind.len(), 1..=MAX_NAME, "bytes")?;
        }
        Ok(Self { kinds, tag: tag.to_owned() })
    }
}

fn within(field: &str, got: usize, range: RangeInclusive<usize>, unit: &str) -> Result<()> {
    if range.contains(&got) {
        return Ok(());
    }
    let (least, most) = (range.start(), range.end());
    Err(Code::ConfigInvalid.error(format!("{field}: expected {least} to {most} {unit}, got {got}")))
}

/// What differs from call to call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What was done with the payload.
    pub action: Action,
    /// The payload.
    pub payload: Payload<'a>,
    /// What it was made from, for [`Action::Mutate`].
    pub previous: Option<Payload<'a>>,
    /// What a signature covers of what it was made from, where that is many. The message is without the list of them then.
    pub inputs: Option<Short>,
    /// Bit n: annotator n was asked.
    pub asked: u32,
    /// Bit n: annotator n is satisfied.
    pub answers: u32,
    /// Now, in microseconds since 1970.
    pub micros: u64,
    /// 80 fresh random bits, for the annotations' ids.
    pub entropy: u128,
    /// What its annotations can be found by, instead of what those of all calls can.
    pub tag: Option<&'a str>,
}

impl<'a> Call<'a> {
    fn payloads(&self) -> impl Iterator<Item = Payload<'a>> + use<'a> {
        core::iter::once(self.payload).chain(self.previous)
    }

    /// The call with the next of `digests` for each payload that has one there.
    fn with_digests<'b>(&self, digests: &mut impl Iterator<Item = &'b Digest>) -> Call<'b>
    where
        'a: 'b,
    {
        let mut hashed = |payload: Payload<'a>| match payload {
            Payload::Bytes(_) => digests.next().map_or(payload, |digest| Payload::Digest(digest)),
            Payload::Digest(_) => payload,
        };
        Call { payload: hashed(self.payload), previous: self.previous.map(hashed), ..*self }
    }
}

/// A call that waits for its signature: for signers outside the core (a key store, WebCrypto, an algorithm that the core
/// does not have).
#[derive(Clone, Debug)]
pub struct Draft {
    identity: Vec<u8>,
    unsigned: Unsigned,
}

impl Draft {
    /// The bytes to sign.
    pub fn identity(&self) -> &[u8] {
        &self.identity
    }

    /// The finished message. Whoever has the key's public half has verified the signature over [`Draft::identity`]: what
    /// comes from outside is checked before it is published.
    pub fn signed(self, signature: &Signature) -> Vec<u8> {
        self.unsigned.signed(signature)
    }
}

/// What was signed, where somebody keeps a log of it.
#[derive(Debug, Default)]
struct Log {
    /// Since its leaves were taken.
    texts: Texts,
    tree: Frontier,
}

/// What one SDK needs for all of its calls.
#[derive(Debug)]
pub struct Sealer {
    signer: KeyId,
    hash: Hash,
    host: String,
    layer: Layer,
    annotators: Annotators,
    ulids: UlidGenerator,
    log: Option<Log>,
}

impl Sealer {
    /// A sealer for bundles that the key with this id signs.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when the host's name is too long.
    pub fn new(signer: KeyId, hash: Hash, host: &str, layer: Layer, annotators: Annotators) -> Result<Self> {
        within("host", host.len(), 0..=MAX_NAME, "bytes")?;
        Ok(Self {
            signer,
            hash,
            host: host.to_owned(),
            layer,
            annotators,
            ulids: UlidGenerator::default(),
            log: None,
        })
    }

    /// From now on, hashes what is signed for a log, in the order in which it is.
    pub fn keep_log(&mut self) {
        self.log = Some(Log::default());
    }

    /// The root of the log, and its leaves since they were last taken: what was signed, hashed as RFC 9162 §2.1.1 has it.
    pub fn take_leaves(&mut self) -> Option<(Node, Vec<Node>)> {
        let log = self.log.as_mut()?;
        let leaves = mem::take(&mut log.texts).hashes();
        log.tree.grow(&leaves);
        Some((log.tree.root(), leaves))
    }

    #[inline(never)]
    fn logged(&mut self, identity: &[u8]) {
        if let Some(log) = &mut self.log {
            log.texts.push(|bytes| {
                bytes.push(0);
                bytes.extend_from_slice(identity);
            });
        }
    }

    /// Makes, signs and writes the bundle of one call. `key` must be the one whose id the sealer was
    /// made with.
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` as in [`Hash::key_of`].
    pub fn seal(&mut self, call: &Call<'_>, key: &SigningKey) -> Result<Vec<u8>> {
        let draft = self.draft(call)?;
        let signature = key.sign(&draft.identity);
        Ok(draft.signed(&signature))
    }

    /// Makes and writes the bundle of one call, to be signed elsewhere.
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` as in [`Hash::key_of`].
    pub fn draft(&mut self, call: &Call<'_>) -> Result<Draft> {
        let draft = self.unlogged(call)?;
        self.logged(&draft.identity);
        Ok(draft)
    }

    #[inline(never)]
    fn unlogged(&mut self, call: &Call<'_>) -> Result<Draft> {
        let bundle = self.bundle(call)?;
        Ok(Draft { identity: identity_bytes(&bundle), unsigned: Unsigned::bundle(&bundle) })
    }

    /// [`Sealer::seal`] for calls that wait together: hashed four at a time, each with a signature of its own. When one
    /// of them fails, none is sealed.
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` as in [`Hash::key_of`].
    pub fn seal_together(&mut self, calls: &[Call<'_>], key: &SigningKey) -> Result<Vec<Vec<u8>>> {
        let digests = self.hash.digests(calls.iter().flat_map(Call::payloads));
        let mut digests = digests.iter();
        let mut drafts = Vec::with_capacity(calls.len());
        for call in calls {
            drafts.push(self.unlogged(&call.with_digests(&mut digests))?);
        }
        for draft in &drafts {
            self.logged(&draft.identity);
        }
        let texts: Vec<&[u8]> = drafts.iter().map(Draft::identity).collect();
        let signatures = key.sign_together(&texts);
        let signed = |(draft, signature): (Draft, _)| draft.unsigned.signed(signature);
        Ok(drafts.into_iter().zip(&signatures).map(signed).collect())
    }

    /// The hash of the bundles' payloads.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// Makes the bundle of one call and adds it to a batch.
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` as in [`Hash::key_of`], and when the batch has no room for it.
    pub fn add(&mut self, call: &Call<'_>, batch: &mut Batch) -> Result<()> {
        batch.add(&self.bundle(call)?)
    }

    /// Signs a batch and writes its message.
    pub fn seal_batch(&mut self, batch: &mut Batch, key: &SigningKey) -> Vec<u8> {
        let draft = self.draft_batch(batch);
        let signature = key.sign(&draft.identity);
        draft.signed(&signature)
    }

    /// Writes the message of a batch, to be signed elsewhere.
    pub fn draft_batch(&mut self, batch: &mut Batch) -> Draft {
        let (identity, unsigned) = batch.unsigned(self.signer);
        self.logged(&identity);
        Draft { identity, unsigned }
    }

    fn bundle<'a>(&'a mut self, call: &Call<'a>) -> Result<Bundle<'a>> {
        let key = self.hash.key_of(call.payload)?;
        let previous_key = call.previous.map(|payload| self.hash.key_of(payload)).transpose()?;
        let (ulids, tag) = (&mut self.ulids, call.tag.unwrap_or(&self.annotators.tag));
        let asked = self.annotators.kinds.iter().enumerate().filter(|(bit, _)| call.asked >> bit & 1 == 1);
        let annotations = asked
            .map(|(bit, kind)| Annotation {
                id: ulids.next(call.micros / 1000, call.entropy),
                kind: Cow::Borrowed(kind),
                tag: Cow::Borrowed(tag),
                is_satisfied: call.answers >> bit & 1 == 1,
            })
            .collect();
        let bundle = Bundle {
            action: call.action,
            key: Cow::Owned(key),
            previous_key: previous_key.map(Cow::Owned),
            inputs: call.inputs.map(Inputs::Short),
            hash: self.hash,
            host: Cow::Borrowed(&self.host),
            layer: self.layer,
            timestamp: Cow::Owned(timestamp::format_micros(call.micros)),
            signer: self.signer,
            annotations,
        };
        // What cannot be read is never written.
        bundle.checked(Code::PayloadInvalid)
    }
}
