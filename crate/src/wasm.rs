//! Boundary to JavaScript, without logic: each item passes its arguments to the module that does the work. Only
//! `js/foundation/core` calls these functions, and documents them.

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

/// An [`Error`] for JavaScript.
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
    /// Reads a private key. Takes ownership of the bytes, so that the copy at the boundary is wiped.
    pub fn read(bytes: Vec<u8>) -> Result<SigningKey> {
        Ok(Self(keys::SigningKey::read(&Zeroizing::new(bytes))?))
    }

    pub fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).to_vec()
    }

    /// Signs bytes and verifies the signature. Returns undefined if a hardware fault damaged the signature.
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
    /// Makes a verifier without keys. `table_bytes` is the memory limit for the tables of often used keys.
    #[wasm_bindgen(constructor)]
    pub fn new(table_bytes: usize) -> Self {
        Self(verify::Verifier::new(keys::Keyring::with_table_bytes(table_bytes)))
    }

    pub fn trust(&mut self, key: &VerifyingKey) {
        self.0.keyring.add(key.0);
    }

    /// Trusts keys that were checked before, 32 bytes each.
    #[wasm_bindgen(js_name = trustAll)]
    pub fn trust_all(&mut self, joined: &[u8]) {
        for key in joined.as_chunks().0 {
            self.0.keyring.add_bytes(*key);
        }
    }

    /// Removes the key with this id from the trusted keys.
    pub fn distrust(&mut self, key_id: &str) {
        if let Some(id) = keys::KeyId::parse(key_id) {
            self.0.keyring.remove(id);
        }
    }

    /// Returns the verified bundles as a JSON array.
    pub fn verify(&mut self, message: &[u8]) -> Result<String> {
        Ok(write::bundle_objects(&self.0.verify(message)?))
    }

    /// Verifies concatenated messages. Returns a JSON array of verified bundles, or of an error, per message.
    #[wasm_bindgen(js_name = verifyMany)]
    pub fn verify_many(&mut self, joined: &[u8], lengths: &[u32]) -> String {
        write::outcomes(&self.0.verify_many(&crossing::split(joined, lengths)))
    }

    /// Returns the key id of the claimed signer, without hashing.
    pub fn claimant(&self, message: &[u8]) -> Result<String> {
        Ok(self.0.claimant(message)?.as_str().to_owned())
    }

    /// Returns the claims of a message as three byte strings ([`crossing::joined`]), for verification outside the
    /// core. They are the signed bytes, the signature followed by the signer's id, and the bundles in the form of
    /// `verify`. For a part, the first string has the ids of its bundles or the leaves of its inputs.
    pub fn claimed(&mut self, message: &[u8], extent: verify::Extent) -> Result<Vec<u8>> {
        let verify::Claimed { identity, signature, signer, bundles, .. } = self.0.claimed(message, extent)?;
        let signed = [&signature.to_bytes()[..], signer.as_str().as_bytes()].concat();
        Ok(crossing::joined(&[identity, signed, write::bundle_objects(&bundles).into_bytes()]))
    }

    /// Returns true if the trusted key with this id signed these bytes.
    pub fn verifies(&mut self, signer: &str, bytes: &[u8], signature: &[u8]) -> bool {
        let (Some(signer), Ok(signature)) = (keys::KeyId::parse(signer), signature.try_into()) else {
            return false;
        };
        self.0.keyring.verifies(&keys::Signed { signer, bytes, signature: &signature })
    }

    /// Returns the key id of the signer of these bytes, among a range of keys in the order of their ids. If the range
    /// begins at 0, it also tries the last signer.
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

/// Merkle tree of inputs, or of a batch that is read in parts. Each part is a batch message with some of the bundles.
#[wasm_bindgen]
#[derive(Default)]
pub struct Tree(merkle::Tree);

#[wasm_bindgen]
impl Tree {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the bundles of the next part as leaves. Returns the number of leaves.
    pub fn push(&mut self, part: &[u8]) -> Result<usize> {
        batch::push_all(&mut self.0, &batch::read_batch(part)?.bundles);
        Ok(self.0.len())
    }

    /// Adds leaves with these hashes, 32 bytes each. The ids of bundles are such hashes.
    pub fn grow(&mut self, ids: &[u8]) {
        self.0.grow(ids.as_chunks().0);
    }

    /// Completes the tree, which then accepts no more leaves.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// Returns the root of the completed tree.
    pub fn root(&self) -> Vec<u8> {
        self.0.root().to_vec()
    }

    /// Returns the bytes that this signer signs for a batch with this completed tree.
    pub fn identity(&self, signer: &str) -> Result<Vec<u8>> {
        let signer = keys::KeyId::parse(signer).ok_or_else(|| unknown("signer", signer))?;
        Ok(identity::batch_identity_bytes(signer, self.0.len(), &self.0.root()))
    }

    /// Extracts the bundles of a part, by the completed tree. `first` is the index of the part's first bundle, and
    /// `skip` is the number of bundles to leave out at its start. Stops when the messages have `most` bytes or more.
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

/// Returns the SHA-256 digests of concatenated payloads, 32 bytes each.
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

    /// Makes a call's message. For this method and the following ones, [`crossing`] describes the layout of calls.
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

    /// Makes a call's message for a signer outside the core.
    pub fn draft(&mut self, numbers: &[u32], payload: &[u8], more: Option<Vec<u8>>) -> Result<Draft> {
        let call = crossing::call(numbers, payload, more.as_deref().unwrap_or_default(), self.sealer.hash())?;
        Ok(Draft(self.sealer.draft(&call)?))
    }

    /// Adds a call to the batch. Returns the encoded length of all bundles in the batch, in bytes.
    pub fn add(&mut self, numbers: &[u32], payload: &[u8], more: Option<Vec<u8>>) -> Result<usize> {
        let call = crossing::call(numbers, payload, more.as_deref().unwrap_or_default(), self.sealer.hash())?;
        self.sealer.add(&call, &mut self.batch)?;
        Ok(self.batch.bytes())
    }

    /// Makes the messages of many calls, in the form of [`crossing::joined`].
    #[wasm_bindgen(js_name = sealGroup)]
    pub fn seal_group(&mut self, key: &SigningKey, numbers: &[u32], bytes: &[u8]) -> Result<Vec<u8>> {
        let calls = crossing::calls(numbers, bytes, self.sealer.hash())?;
        Ok(crossing::joined(&self.sealer.seal_together(&calls, &key.0)?))
    }

    /// Makes the message of the batch, and begins a new batch.
    #[wasm_bindgen(js_name = sealBatch)]
    pub fn seal_batch(&mut self, key: &SigningKey) -> Vec<u8> {
        self.sealer.seal_batch(&mut self.batch, &key.0)
    }

    /// Makes the message of the batch for a signer outside the core, and begins a new batch.
    #[wasm_bindgen(js_name = draftBatch)]
    pub fn draft_batch(&mut self) -> Draft {
        Draft(self.sealer.draft_batch(&mut self.batch))
    }

    /// Starts a log of all bytes that are signed from now on.
    #[wasm_bindgen(js_name = keepLog)]
    pub fn keep_log(&mut self) {
        self.sealer.keep_log();
    }

    /// Returns the root of the log, and then the first `bytes` bytes of each leaf that was added after the last call.
    #[wasm_bindgen(js_name = takeLeaves)]
    pub fn take_leaves(&mut self, bytes: usize) -> Vec<u8> {
        let (root, leaves) = self.sealer.take_leaves().unwrap_or_default();
        let mut taken = root.to_vec();
        for leaf in &leaves {
            taken.extend_from_slice(&leaf[..bytes.min(leaf.len())]);
        }
        taken
    }

    /// Returns the ids of the bundles of the last batch, 32 bytes each. A second call returns no ids.
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

    /// Inserts the signature, which the caller has verified, and returns the message.
    pub fn signed(&self, signature: &[u8]) -> Result<Vec<u8>> {
        let wrong = |_| Code::SignatureInvalid.error("signature: expected 64 bytes, got another length");
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
