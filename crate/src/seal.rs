//! Seals SDK calls: makes message bytes from a payload and the annotators' answers.

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

/// Annotators of an SDK. They are registered once, so that calls need not pass their names.
#[derive(Clone, Debug, Default)]
pub struct Annotators {
    kinds: Vec<String>,
    tag: String,
}

impl Annotators {
    /// Makes annotators of these kinds, all with one tag. Bit 0 of [`Call::answers`] belongs to the first
    /// annotator.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when a kind or the tag breaks a bundle's limits, or there are too many annotators.
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

/// Values of one call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Action of the application on the payload.
    pub action: Action,
    /// Payload of the call.
    pub payload: Payload<'a>,
    /// Earlier payload, for [`Action::Mutate`].
    pub previous: Option<Payload<'a>>,
    /// Number and root of inputs, which the signature covers. The written message then has no list of inputs.
    pub inputs: Option<Short>,
    /// Bits of the annotators. Bit n is set if annotator n was asked.
    pub asked: u32,
    /// Bits of the annotators. Bit n is set if annotator n is satisfied.
    pub answers: u32,
    /// Current time, in microseconds since 1970.
    pub micros: u64,
    /// Entropy for the annotations' ids: 80 fresh random bits.
    pub entropy: u128,
    /// Tag of this call's annotations, in place of the annotators' common tag.
    pub tag: Option<&'a str>,
}

impl<'a> Call<'a> {
    fn payloads(&self) -> impl Iterator<Item = Payload<'a>> + use<'a> {
        core::iter::once(self.payload).chain(self.previous)
    }

    /// Replaces each payload that is given as bytes by the next of `digests`. Keeps the payload if there is none.
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

/// A call without its signature, for a signer outside the core, such as a key store or WebCrypto.
#[derive(Clone, Debug)]
pub struct Draft {
    identity: Vec<u8>,
    unsigned: Unsigned,
}

impl Draft {
    /// Returns the bytes to sign.
    pub fn identity(&self) -> &[u8] {
        &self.identity
    }

    /// Returns the finished message. This function does not verify the signature. The caller must have
    /// verified it over [`Draft::identity`] with the signer's public key, so that no invalid message is
    /// published.
    pub fn signed(self, signature: &Signature) -> Vec<u8> {
        self.unsigned.signed(signature)
    }
}

/// Log of the signed bytes.
#[derive(Debug, Default)]
struct Log {
    /// Signed bytes that were added after the last call of [`Sealer::take_leaves`].
    texts: Texts,
    tree: Frontier,
}

/// State of one SDK across all calls.
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
    /// Makes a sealer for bundles that are signed by the key with this id.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when the host name is too long.
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

    /// Starts a log of all bytes that are signed from now on, in order.
    pub fn keep_log(&mut self) {
        self.log = Some(Log::default());
    }

    /// Returns the root of the log, and the leaves (RFC 9162 §2.1.1) that were added after the last call.
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

    /// Makes, signs and writes the bundle of one call. `key` must have the id that was passed to [`Sealer::new`].
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` as in [`Hash::key_of`].
    pub fn seal(&mut self, call: &Call<'_>, key: &SigningKey) -> Result<Vec<u8>> {
        let draft = self.draft(call)?;
        let signature = key.sign(&draft.identity);
        Ok(draft.signed(&signature))
    }

    /// Makes the bundle of one call for a signer outside the core.
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

    /// Seals several calls like [`Sealer::seal`], hashing four payloads at a time. If one fails, no call is sealed.
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

    /// Returns the hash function for payloads.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// Makes the bundle of one call and adds it to a batch.
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` as in [`Hash::key_of`], and when the batch has no room for the bundle.
    pub fn add(&mut self, call: &Call<'_>, batch: &mut Batch) -> Result<()> {
        batch.add(&self.bundle(call)?)
    }

    /// Signs a batch and writes its message.
    pub fn seal_batch(&mut self, batch: &mut Batch, key: &SigningKey) -> Vec<u8> {
        let draft = self.draft_batch(batch);
        let signature = key.sign(&draft.identity);
        draft.signed(&signature)
    }

    /// Makes the message of a batch for a signer outside the core.
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
        // Check before writing, because a written message must be readable.
        bundle.checked(Code::PayloadInvalid)
    }
}
