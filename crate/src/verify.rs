//! Verifies messages by a list of checks, each with its own error code.

use crate::{
    batch::{ids_of, push_leaf},
    bundle::{Bundle, VerifiedBundle, escape},
    digest::{Hash, Payload},
    error::{Code, Error, Result},
    identity::{batch_identity_bytes, identity_bytes},
    inputs::{Inputs, leaves_of},
    keys::{KeyId, Keyring, Signature, Signed},
    merkle::{self, Node, Parents, Tree},
    message::{BatchedBundle, Message, SignedBatch, SignedBundle, read},
    sha256x4,
};
use alloc::{collections::VecDeque, format, vec, vec::Vec};
use core::ops::Range;
use wasm_bindgen::prelude::wasm_bindgen;

/// Number of batch signatures that a verifier caches.
const REMEMBERED: usize = 64;

/// Verifies messages by the keys of one keyring.
#[derive(Debug, Default)]
pub struct Verifier {
    /// Keys by which signatures are verified. Messages of all other signers are refused.
    pub keyring: Keyring,
    /// Batch signatures that verified, with their signed bytes, newest last. All bundles that are extracted
    /// from one batch have the same signature and signed bytes.
    verified: VecDeque<(Vec<u8>, Signature)>,
    /// Last signer that [`Verifier::signer_of`] returned.
    last_signer: Option<KeyId>,
    /// Cached parents in the trees of extracted bundles.
    parents: Parents,
}

impl Verifier {
    /// Makes a verifier that trusts these keys.
    pub fn new(keyring: Keyring) -> Self {
        Self { keyring, ..Self::default() }
    }

    /// Returns the key in the keyring that signed these bytes, for formats that do not name their signer. Tries the
    /// last signer first, because consecutive annotations often have the same signer. Otherwise it tries one
    /// verification per key.
    pub fn signer_of(&mut self, bytes: &[u8], signature: &Signature) -> Option<KeyId> {
        self.signer_among(bytes, signature, 0..usize::MAX)
    }

    /// Finds the signer of these bytes in a part of the keyring, like [`Verifier::signer_of`]. `keys` is a range of
    /// keys, counted in the order of their ids. If the range begins at 0, it also tries the last signer.
    pub fn signer_among(&mut self, bytes: &[u8], signature: &Signature, keys: Range<usize>) -> Option<KeyId> {
        let by_last = |&signer: &KeyId| self.keyring.verifies(&Signed { signer, bytes, signature });
        let signer = match self.last_signer.filter(|_| keys.start == 0).filter(by_last) {
            Some(last) => last,
            None => self.keyring.signer_among(bytes, signature, keys)?,
        };
        self.last_signer = Some(signer);
        Some(signer)
    }

    /// Verifies that a message is valid, and that a key in the keyring signed it.
    ///
    /// # Returns
    /// The bundles of the message: one bundle, or all bundles of a batch.
    ///
    /// # Errors
    /// - `MESSAGE_MALFORMED`: the bytes are not a valid message
    /// - `SIGNER_UNKNOWN`: the signer is not in the keyring
    /// - `SIGNATURE_INVALID`: the signature does not verify for these contents
    pub fn verify<'a>(&mut self, message: &'a [u8]) -> Result<Vec<VerifiedBundle<'a>>> {
        self.check(read::decode(message)?)
    }

    /// Verifies many messages, faster than [`Verifier::verify`] does one by one. The outcomes are those of
    /// [`Verifier::verify`].
    pub fn verify_many<'a>(&mut self, messages: &[&'a [u8]]) -> Vec<Result<Vec<VerifiedBundle<'a>>>> {
        let decoded: Vec<_> = messages.iter().map(|message| read::decode(message)).collect();
        let mut ids = self.ids_of_good(&decoded).into_iter();
        let each = |message: Result<Message<'a>>| match message? {
            Message::Bundle(SignedBundle { bundle, .. }) => {
                self.keyring.check_known(bundle.signer)?;
                let id = ids.next().flatten().ok_or_else(|| unverified(bundle.signer))?;
                Ok(vec![VerifiedBundle { bundle, id }])
            }
            other => self.check(other),
        };
        decoded.into_iter().map(each).collect()
    }

    /// Returns an id for each single bundle of a known signer, or `None` if the signature does not verify.
    fn ids_of_good(&mut self, messages: &[Result<Message<'_>>]) -> Vec<Option<Node>> {
        let bundles = messages.iter().filter_map(|message| match message {
            Ok(Message::Bundle(signed)) => Some(signed),
            _ => None,
        });
        let known = bundles.filter(|signed| self.keyring.check_known(signed.bundle.signer).is_ok());
        let leaves: Vec<_> = known.map(|signed| (signed, leaf_of(&signed.bundle))).collect();
        let claims = leaves.iter().map(|(SignedBundle { bundle, signature }, leaf)| Signed {
            signer: bundle.signer,
            bytes: &leaf[1..],
            signature,
        });
        let verdicts = self.keyring.verify_many(&claims.collect::<Vec<_>>());
        let texts: Vec<&[u8]> = leaves.iter().map(|(_, leaf)| &leaf[..]).collect();
        let ids = sha256x4::digests(&texts).into_iter();
        ids.zip(verdicts).map(|(id, is_good)| is_good.then_some(id)).collect()
    }

    fn check<'a>(&mut self, message: Message<'a>) -> Result<Vec<VerifiedBundle<'a>>> {
        // Check for the signer before hashing, so that 16 MiB from a stranger cost no more than reading them. The
        // check is needed even for cached roots, because the signer may have been removed.
        self.keyring.check_known(message.signer())?;
        let claimed = Claimed::of(message, &mut self.parents, false)?;
        self.check_signature(&claimed)?;
        Ok(claimed.bundles)
    }

    /// Returns the id of the claimed signer without hashing, so that callers can first look for a key.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` for an invalid message.
    pub fn claimant(&self, message: &[u8]) -> Result<KeyId> {
        Ok(read::decode(message)?.signer())
    }

    /// Reads the claims of a message without verifying anything. Use it if signatures are verified elsewhere, or if a
    /// message has only a part of the signed contents.
    ///
    /// # Errors
    /// The errors of [`identity_of`], and `MESSAGE_MALFORMED` for a message with another extent.
    pub fn claimed<'a>(&mut self, message: &'a [u8], extent: Extent) -> Result<Claimed<'a>> {
        let message = read::decode_short(message)?;
        if !extent.is_of(&message) {
            return Err(Code::MessageMalformed
                .error("message: expected a batch, or inputs in their place, got other members"));
        }
        Claimed::of(message, &mut self.parents, extent == Extent::Part)
    }

    fn check_signature(&mut self, claimed: &Claimed<'_>) -> Result<()> {
        let Claimed { signer, identity, signature, is_root, .. } = claimed;
        if *is_root && self.verified.iter().any(|(known, by)| known == identity && by == signature) {
            return Ok(());
        }
        if !self.keyring.verifies(&Signed { signer: *signer, bytes: identity, signature }) {
            return Err(unverified(*signer));
        }
        if *is_root {
            if self.verified.len() == REMEMBERED {
                self.verified.pop_front();
            }
            self.verified.push_back((identity.clone(), *signature));
        }
        Ok(())
    }
}

/// Extent of the signed contents that a message has.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All signed contents.
    Whole = 0,
    /// A part of the contents: some bundles of a batch, or some inputs of a bundle.
    Part = 1,
    /// A bundle with only the number and the root of its inputs.
    Short = 2,
}

impl Extent {
    fn is_of(self, message: &Message<'_>) -> bool {
        match (self, message) {
            (Self::Part, Message::Batch(_)) => true,
            (Self::Part, Message::Bundle(signed)) => matches!(signed.bundle.inputs, Some(Inputs::All(_))),
            (Self::Part, Message::Batched(_)) => false,
            _ => message.is_short() == (self == Self::Short),
        }
    }
}

/// Claims of a message, with the values by which the claims are verified.
#[derive(Debug)]
pub struct Claimed<'a> {
    /// Key id of the claimed signer.
    pub signer: KeyId,
    /// Bytes that the signer is claimed to have signed. For a part, ids of bundles or leaves of inputs.
    pub identity: Vec<u8>,
    /// Claimed signature.
    pub signature: Signature,
    /// Claimed bundles, with their ids.
    pub bundles: Vec<VerifiedBundle<'a>>,
    /// True if other messages may have the same signature, as with a batch.
    is_root: bool,
}

impl<'a> Claimed<'a> {
    fn of(message: Message<'a>, parents: &mut Parents, is_part: bool) -> Result<Self> {
        let signer = message.signer();
        let (identity, signature, bundles, is_root) = match message {
            Message::Bundle(SignedBundle { bundle, signature }) => {
                let identity = match &bundle.inputs {
                    Some(Inputs::All(inputs)) if is_part => leaves_of(inputs).concat(),
                    _ => identity_bytes(&bundle),
                };
                let id = merkle::leaf(&identity);
                (identity, signature, vec![VerifiedBundle { bundle, id }], false)
            }
            Message::Batch(SignedBatch { bundles, signature, .. }) => {
                let ids = ids_of(&bundles);
                let identified = bundles.into_iter().zip(&ids);
                let bundles = identified.map(|(bundle, &id)| VerifiedBundle { bundle, id }).collect();
                let identity = if is_part {
                    ids.concat()
                } else {
                    batch_identity_bytes(signer, ids.len(), &Tree::new(&ids).root())
                };
                (identity, signature, bundles, true)
            }
            Message::Batched(batched) => {
                let id = merkle::leaf(&identity_bytes(&batched.bundle));
                let root = root_above(&batched, id, parents)?;
                let BatchedBundle { bundle, proof, signature } = batched;
                let identity = batch_identity_bytes(signer, proof.size, &root);
                (identity, signature, vec![VerifiedBundle { bundle, id }], true)
            }
        };
        Ok(Self { signer, identity, signature, bundles, is_root })
    }
}

/// Returns the bytes that a message's signature covers. Verifies nothing.
///
/// If `may_be_short` is true, the list of inputs may be missing.
///
/// # Errors
/// - `MESSAGE_MALFORMED`: the bytes are not a valid message
/// - `SIGNATURE_INVALID`: the inclusion proof of a batched bundle does not fit the size of the batch
pub fn identity_of(message: &[u8], may_be_short: bool) -> Result<Vec<u8>> {
    let message = if may_be_short { read::decode_short(message) } else { read::decode(message) };
    Ok(Claimed::of(message?, &mut Parents::default(), false)?.identity)
}

/// Returns the leaf of a bundle. The hash of the leaf is the bundle's id.
fn leaf_of(bundle: &Bundle<'_>) -> Vec<u8> {
    let mut leaf = Vec::with_capacity(512);
    push_leaf(&mut leaf, bundle);
    leaf
}

/// Returns the root of the batch that the bundle claims to come from. `leaf` is the hash of the bundle's leaf.
fn root_above(batched: &BatchedBundle<'_>, leaf: Node, parents: &mut Parents) -> Result<Node> {
    let BatchedBundle { bundle, proof, .. } = batched;
    let root = parents.root_from(leaf, proof.index, proof.size, &proof.path);
    root.ok_or_else(|| altered(bundle.signer, "a proof of another length"))
}

fn unverified(signer: KeyId) -> Error {
    altered(signer, "one that does not verify: something was altered")
}

#[cold]
fn altered(signer: KeyId, got: &str) -> Error {
    let id = signer.as_str();
    let text = format!("signature: expected one by {id} over these contents, got {got}");
    Code::SignatureInvalid.error(text).of(signer.as_str())
}

/// Verifies that a bundle with this hash and key is about `payload`.
///
/// # Errors
/// `PAYLOAD_MISMATCH` when it is about another payload.
pub fn check_payload(hash: Hash, key: &str, payload: Payload<'_>) -> Result<()> {
    // Compare only if there is a key: a payload that the hash does not accept has no key, so it differs.
    if hash.key_of(payload).is_ok_and(|own| own == key) {
        return Ok(());
    }
    let named = match hash {
        // Do not print the key here, because it is the payload itself, which can be a secret.
        Hash::None => format!("payload key of {} bytes (hash none)", key.len()),
        _ => format!("{} key {}", hash.as_str(), escape(key)),
    };
    Err(Code::PayloadMismatch.error(format!("payload: does not match the {named}")))
}
