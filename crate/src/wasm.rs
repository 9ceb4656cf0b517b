//! The boundary to JavaScript. No logic lives here: each item hands its arguments to the module that does
//! the work. Called only by `js/core`, which documents the same functions for their users.

#![allow(missing_docs, reason = "the documentation is that of the items each one calls")]

use crate::{
    batch,
    bundle::{Layer, quote},
    crossing,
    digest::{self, Hash, Payload},
    error::{Code, Error},
    identity, keys, merkle,
    message::{cbor, write},
    seal, sha256x4, timestamp, verify,
};
use alloc::{borrow::ToOwned as _, format, string::String, vec::Vec};
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

/// An [`Error`] on its way to JavaScript: the code stays a code.
#[wasm_bindgen]
pub struct CoreError(Error);

#[wasm_bindgen]
impl CoreError {
    #[wasm_bindgen(getter)]
    pub fn code(&self) -> String {
        self.0.code.as_str().to_owned()
    }

    #[wasm_bindgen(getter)]
    pub fn message(&self) -> String {
        self.0.message.clone()
    }

    #[wasm_bindgen(getter)]
    pub fn signer(&self) -> Option<String> {
        self.0.signer.clone()
    }
}

impl From<Error> for CoreError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

type Result<T> = core::result::Result<T, CoreError>;

#[wasm_bindgen]
pub struct SigningKey(keys::SigningKey);

#[wasm_bindgen]
impl SigningKey {
    /// Takes the bytes over, so that the copy that crossed the boundary is wiped.
    pub fn read(bytes: Vec<u8>) -> Result<SigningKey> {
        Ok(Self(keys::SigningKey::read(&Zeroizing::new(bytes))?))
    }

    pub fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).to_vec()
    }

    /// Nothing when a fault of the machine has spoilt the signature.
    #[wasm_bindgen(js_name = signChecked)]
    pub fn sign_checked(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        Some(self.0.sign_checked(bytes)?.to_vec())
    }

    #[wasm_bindgen(js_name = verifyingKey)]
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }
}

#[wasm_bindgen]
pub struct VerifyingKey(keys::VerifyingKey);

#[wasm_bindgen]
impl VerifyingKey {
    pub fn read(bytes: &[u8]) -> Result<VerifyingKey> {
        Ok(Self(keys::VerifyingKey::read(bytes)?))
    }

    pub fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        signature.try_into().is_ok_and(|signature| self.0.verifies(bytes, &signature))
    }

    pub fn id(&self) -> String {
        self.0.id().as_str().to_owned()
    }

    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes().to_vec()
    }
}

#[wasm_bindgen]
pub struct Verifier(verify::Verifier);

#[wasm_bindgen]
impl Verifier {
    /// `table_bytes`: how much memory the tables of often used keys may take.
    #[wasm_bindgen(constructor)]
    pub fn new(table_bytes: usize) -> Self {
        Self(verify::Verifier::new(keys::Keyring::with_table_bytes(table_bytes)))
    }

    pub fn trust(&mut self, key: &VerifyingKey) {
        self.0.keyring.add(key.0);
    }

    /// Trusts keys that have been read before, 32 bytes each.
    #[wasm_bindgen(js_name = trustAll)]
    pub fn trust_all(&mut self, joined: &[u8]) {
        for key in joined.as_chunks().0 {
            self.0.keyring.add_bytes(*key);
        }
    }

    /// Stops trusting the key with this id.
    pub fn distrust(&mut self, key_id: &str) {
        if let Some(id) = keys::KeyId::parse(key_id) {
            self.0.keyring.remove(id);
        }
    }

    /// The verified bundles as a JSON array.
    pub fn verify(&mut self, message: &[u8]) -> Result<String> {
        Ok(write::bundle_objects(&self.0.verify(message)?))
    }

    /// Of messages that stand one behind the other: a JSON array with the verified bundles, or code and message, of each.
    #[wasm_bindgen(js_name = verifyMany)]
    pub fn verify_many(&mut self, joined: &[u8], lengths: &[u32]) -> String {
        write::outcomes(&self.0.verify_many(&crossing::split(joined, lengths)))
    }

    /// The key id of whoever should have signed a message. Nothing is hashed for it.
    pub fn claimant(&self, message: &[u8]) -> Result<String> {
        Ok(self.0.claimant(message)?.as_str().to_owned())
    }

    /// What a message claims, of a signer whose signatures are verified elsewhere: the bytes that should have been signed,
    /// the signature with the signer's id behind it, and the bundles as `verify` has them, one behind the other.
    /// Of a part, the ids of its bundles, or the leaves of its inputs, stand in the place of those bytes.
    pub fn claimed(&mut self, message: &[u8], extent: verify::Extent) -> Result<Vec<u8>> {
        let verify::Claimed { identity, signature, signer, bundles, .. } = self.0.claimed(message, extent)?;
        let signed = [&signature.to_bytes()[..], signer.as_str().as_bytes()].concat();
        Ok(crossing::joined(&[identity, signed, write::bundle_objects(&bundles).into_bytes()]))
    }

    /// Whether the trusted key with this id signed these bytes.
    pub fn verifies(&mut self, signer: &str, bytes: &[u8], signature: &[u8]) -> bool {
        let (Some(signer), Ok(signature)) = (keys::KeyId::parse(signer), signature.try_into()) else {
            return false;
        };
        self.0.keyring.verifies(&keys::Signed { signer, bytes, signature: &signature })
    }

    /// The key id of whoever signed these bytes, among the keys at these places and whoever did last.
    #[wasm_bindgen(js_name = signerAmong)]
    pub fn signer_among(
        &mut self,
        bytes: &[u8],
        signature: &[u8],
        from: usize,
        until: usize,
    ) -> Option<String> {
        let signer = self.0.signer_among(bytes, &signature.try_into().ok()?, from..until)?;
        Some(signer.as_str().to_owned())
    }
}

#[wasm_bindgen(js_name = extractBundle)]
pub fn extract_bundle(message: &[u8], index: usize) -> Result<Vec<u8>> {
    Ok(batch::extract(message, index)?)
}

/// The tree of a batch that is read in parts, each a batch of some of its bundles; or of inputs.
#[wasm_bindgen]
#[derive(Default)]
pub struct Tree(merkle::Tree);

#[wasm_bindgen]
impl Tree {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// More leaves: the bundles of the next part. How many there are now.
    pub fn push(&mut self, part: &[u8]) -> Result<usize> {
        batch::push_all(&mut self.0, &batch::read_batch(part)?.bundles);
        Ok(self.0.len())
    }

    /// More leaves, of bundles with these ids, 32 bytes each.
    pub fn grow(&mut self, ids: &[u8]) {
        self.0.grow(ids.as_chunks().0);
    }

    /// No more leaves come.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Its root, when it is ended.
    pub fn root(&self) -> Vec<u8> {
        self.0.root().to_vec()
    }

    /// The bytes that this signer has signed for a batch with this tree, when it is ended.
    pub fn identity(&self, signer: &str) -> Result<Vec<u8>> {
        let signer = keys::KeyId::parse(signer).ok_or_else(|| unknown("signer", signer))?;
        Ok(identity::batch_identity_bytes(signer, self.0.len(), &self.0.root()))
    }

    /// Bundles of a part whose first is at this place, each taken out, when it is ended: from the one behind `skip` others on, as
    /// many as make so many bytes.
    pub fn extract(&self, part: &[u8], first: usize, skip: usize, most: usize) -> Result<Vec<u8>> {
        Ok(crossing::joined(&batch::extract_some(&self.0, part, first, skip, most)?))
    }
}

#[wasm_bindgen(js_name = cborOf)]
pub fn cbor_of(json: &[u8]) -> Result<Vec<u8>> {
    Ok(cbor::of_json(json)?)
}

#[wasm_bindgen(js_name = jsonOf)]
pub fn json_of(cbor: &[u8]) -> Result<Vec<u8>> {
    Ok(cbor::to_json(cbor)?)
}

#[wasm_bindgen(js_name = identityOf)]
pub fn identity_of(message: &[u8], may_be_short: bool) -> Result<Vec<u8>> {
    Ok(verify::identity_of(message, may_be_short)?)
}

#[wasm_bindgen(js_name = isTimestamp)]
pub fn is_timestamp(text: &str) -> bool {
    timestamp::is_rfc3339(text)
}

#[wasm_bindgen(js_name = wipeStack)]
pub fn wipe_stack() {
    keys::wipe_stack();
}

#[wasm_bindgen(js_name = checkPayload)]
pub fn check_payload(hash: &str, key: &str, payload: &[u8], is_digest: bool) -> Result<()> {
    Ok(verify::check_payload(parse_hash(hash)?, key, payload_of(payload, is_digest))?)
}

#[wasm_bindgen(js_name = keyOf)]
pub fn key_of(hash: &str, payload: &[u8], is_digest: bool) -> Result<String> {
    Ok(parse_hash(hash)?.key_of(payload_of(payload, is_digest))?)
}

/// The digests of payloads that stand one behind the other, 32 bytes each.
#[wasm_bindgen(js_name = sha256Many)]
pub fn sha256_many(payloads: &[u8], lengths: &[u32]) -> Vec<u8> {
    sha256x4::digests(&crossing::split(payloads, lengths)).concat()
}

#[wasm_bindgen]
pub struct Hasher(digest::Hasher);

#[wasm_bindgen]
impl Hasher {
    #[wasm_bindgen(constructor)]
    pub fn new(hash: &str) -> Result<Hasher> {
        Ok(Self(digest::Hasher::new(parse_hash(hash)?)?))
    }

    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub fn finish(&self) -> Vec<u8> {
        self.0.clone().finish()
    }
}

#[wasm_bindgen]
pub struct Sealer {
    sealer: seal::Sealer,
    batch: batch::Batch,
}

#[wasm_bindgen]
impl Sealer {
    #[wasm_bindgen(constructor)]
    pub fn new(
        signer: &str,
        hash: &str,
        host: &str,
        layer: &str,
        kinds: Vec<String>,
        tag: &str,
    ) -> Result<Sealer> {
        let signer = keys::KeyId::parse(signer).ok_or_else(|| unknown("signer", signer))?;
        let layer = Layer::parse(layer).ok_or_else(|| unknown("layer", layer))?;
        let annotators = seal::Annotators::new(kinds, tag)?;
        let sealer = seal::Sealer::new(signer, parse_hash(hash)?, host, layer, annotators)?;
        Ok(Self { sealer, batch: batch::Batch::default() })
    }

    /// A call's message. See [`crossing`] for how a call is told, here and below.
    pub fn seal(
        &mut self,
        key: &SigningKey,
        numbers: &[u32],
        payload: &[u8],
        more: Option<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        let call = crossing::call(numbers, payload, more.as_deref().unwrap_or_default(), self.sealer.hash())?;
        Ok(self.sealer.seal(&call, &key.0)?)
    }

    /// The same for a key outside the core.
    pub fn draft(&mut self, numbers: &[u32], payload: &[u8], more: Option<Vec<u8>>) -> Result<Draft> {
        let call = crossing::call(numbers, payload, more.as_deref().unwrap_or_default(), self.sealer.hash())?;
        Ok(Draft(self.sealer.draft(&call)?))
    }

    /// Puts a call into the batch. How long the batch's bundles are now, in bytes.
    pub fn add(&mut self, numbers: &[u32], payload: &[u8], more: Option<Vec<u8>>) -> Result<usize> {
        let call = crossing::call(numbers, payload, more.as_deref().unwrap_or_default(), self.sealer.hash())?;
        self.sealer.add(&call, &mut self.batch)?;
        Ok(self.batch.bytes())
    }

    /// The messages of many calls, one behind the other.
    #[wasm_bindgen(js_name = sealGroup)]
    pub fn seal_group(&mut self, key: &SigningKey, numbers: &[u32], bytes: &[u8]) -> Result<Vec<u8>> {
        let calls = crossing::calls(numbers, bytes, self.sealer.hash())?;
        Ok(crossing::joined(&self.sealer.seal_together(&calls, &key.0)?))
    }

    /// The batch's message; a new batch begins.
    #[wasm_bindgen(js_name = sealBatch)]
    pub fn seal_batch(&mut self, key: &SigningKey) -> Vec<u8> {
        self.sealer.seal_batch(&mut self.batch, &key.0)
    }

    /// The same for a key outside the core.
    #[wasm_bindgen(js_name = draftBatch)]
    pub fn draft_batch(&mut self) -> Draft {
        Draft(self.sealer.draft_batch(&mut self.batch))
    }

    /// From now on, hashes what is signed for a log.
    #[wasm_bindgen(js_name = keepLog)]
    pub fn keep_log(&mut self) {
        self.sealer.keep_log();
    }

    /// The root of the log, and the first `bytes` of each of its leaves since they were last taken.
    #[wasm_bindgen(js_name = takeLeaves)]
    pub fn take_leaves(&mut self, bytes: usize) -> Vec<u8> {
        let (root, leaves) = self.sealer.take_leaves().unwrap_or_default();
        let mut taken = root.to_vec();
        for leaf in &leaves {
            taken.extend_from_slice(&leaf[..bytes.min(leaf.len())]);
        }
        taken
    }

    /// The ids of the bundles of the last of these batches, 32 bytes each.
    #[wasm_bindgen(js_name = batchIds)]
    pub fn batch_ids(&mut self) -> Vec<u8> {
        self.batch.take_ids()
    }
}

#[wasm_bindgen]
pub struct Draft(seal::Draft);

#[wasm_bindgen]
impl Draft {
    pub fn identity(&self) -> Vec<u8> {
        self.0.identity().to_vec()
    }

    /// With a signature that has been verified.
    pub fn signed(&self, signature: &[u8]) -> Result<Vec<u8>> {
        let wrong = |_| Code::SignatureInvalid.error("signature: expected 64 bytes, got others");
        Ok(self.0.clone().signed(&signature.try_into().map_err(wrong)?))
    }
}

fn payload_of(bytes: &[u8], is_digest: bool) -> Payload<'_> {
    if is_digest { Payload::Digest(bytes) } else { Payload::Bytes(bytes) }
}

fn parse_hash(name: &str) -> Result<Hash> {
    Hash::parse(name).ok_or_else(|| unknown("hash", name))
}

#[cold]
fn unknown(field: &str, got: &str) -> CoreError {
    Code::ConfigInvalid.error(format!("{field}: expected a known one, got {}", quote(got))).into()
}
