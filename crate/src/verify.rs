//! Verification: a list of checks, each with a code of its own.

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

/// How many batches a verifier remembers.
const REMEMBERED: usize = 64;

/// Verifies messages for one keyring.
#[derive(Debug, Default)]
pub struct Verifier {
    /// Whom to trust.
    pub keyring: Keyring,
    /// What batch signatures have been verified over, newest last: the bundles of a batch share one.
    verified: VecDeque<(Vec<u8>, Signature)>,
    /// Whom [`Verifier::signer_of`] found last.
    last_signer: Option<KeyId>,
    /// Of the trees that bundles were taken out of.
    parents: Parents,
}

impl Verifier {
    /// A verifier that trusts these keys.
    pub fn new(keyring: Keyring) -> Self {
        Self { keyring, ..Self::default() }
    }

    /// Who in the keyring signed these bytes, for formats that do not name their signer. Whoever was found last is
    /// tried first, because annotations of one signer come in rows; otherwise every key costs a verification.
    pub fn signer_of(&mut self, bytes: &[u8], signature: &Signature) -> Option<KeyId> {
        self.signer_among(bytes, signature, 0..usize::MAX)
    }

    /// [`Verifier::signer_of`] in pieces: `keys` are the places of those to try, in the order of their ids. The first piece
    /// is where whoever was found last is tried as well.
    pub fn signer_among(&mut self, bytes: &[u8], signature: &Signature, keys: Range<usize>) -> Option<KeyId> {
        let by_last = |&signer: &KeyId| self.keyring.verifies(&Signed { signer, bytes, signature });
        let signer = match self.last_signer.filter(|_| keys.start == 0).filter(by_last) {
            Some(last) => last,
            None => self.keyring.signer_among(bytes, signature, keys)?,
        };
        self.last_signer = Some(signer);
        Some(signer)
    }

    /// Verifies that a message is sound, and signed by a key in the keyring.
    ///
    /// # Returns
    /// Its bundles: one, or those of a batch.
    ///
    /// # Errors
    /// - `MESSAGE_MALFORMED`: not a message, or not a sound one
    /// - `SIGNER_UNKNOWN`: signed by nobody in the keyring
    /// - `SIGNATURE_INVALID`: not what was signed
    pub fn verify<'a>(&mut self, message: &'a [u8]) -> Result<Vec<VerifiedBundle<'a>>> {
        self.check(read::decode(message)?)
    }

    /// Verifies many messages, each as [`Verifier::verify`] does: in less time, and no verdict depends on the others.
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

    /// The ids of the bundles with signatures of their own, of signers that the keyring knows, where these are good.
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
        // Before anything is hashed: a stranger's 16 MiB cost no more than being read. Whoever was trusted when a root was
        // remembered may not be any more, too.
        self.keyring.check_known(message.signer())?;
        let claimed = Claimed::of(message, &mut self.parents, false)?;
        self.check_signature(&claimed)?;
        Ok(claimed.bundles)
    }

    /// Whose signature a message claims to have, to ask before anything is hashed whether anybody can verify it.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED`.
    pub fn claimant(&self, message: &[u8]) -> Result<KeyId> {
        Ok(read::decode(message)?.signer())
    }

    /// What a message claims, of a signer whose signatures are verified elsewhere, or one that does not have all of what it says. Nothing
    /// is verified here.
    ///
    /// # Errors
    /// As [`identity_of`]; `MESSAGE_MALFORMED` for a message of another extent.
    pub fn claimed<'a>(&mut self, message: &'a [u8], extent: Extent) -> Result<Claimed<'a>> {
        let message = read::decode_short(message)?;
        if !extent.is_of(&message) {
            return Err(Code::MessageMalformed
                .error("message: expected a batch, or inputs in their place, got others"));
        }
        Claimed::of(message, &mut self.parents, extent == Extent::Part)
    }

    /// By a signer that the keyring is known to hold.
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

/// How much there is of what somebody has signed.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole = 0,
    /// Some of the bundles of a batch, or some inputs of a bundle.
    Part = 1,
    /// A bundle without its inputs.
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

/// What a message says, and what is to be verified before it is believed.
#[derive(Debug)]
pub struct Claimed<'a> {
    /// Whose signature it should be.
    pub signer: KeyId,
    /// What should have been signed; of a part, the ids of its bundles, or the leaves of its inputs.
    pub identity: Vec<u8>,
    /// The signature.
    pub signature: Signature,
    /// What is claimed, with its ids.
    pub bundles: Vec<VerifiedBundle<'a>>,
    /// Whether other messages have the same signature: those of a batch.
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

/// The bytes that a message's signature is over, read from the message. Nothing is verified.
///
/// `may_be_short`: of a bundle, its inputs need not be there.
///
/// # Errors
/// - `MESSAGE_MALFORMED`: not a message, or not a sound one
/// - `SIGNATURE_INVALID`: a batched bundle whose proof leads to no root
pub fn identity_of(message: &[u8], may_be_short: bool) -> Result<Vec<u8>> {
    let message = if may_be_short { read::decode_short(message) } else { read::decode(message) };
    Ok(Claimed::of(message?, &mut Parents::default(), false)?.identity)
}

/// What is hashed for a bundle's id.
fn leaf_of(bundle: &Bundle<'_>) -> Vec<u8> {
    let mut leaf = Vec::with_capacity(512);
    push_leaf(&mut leaf, bundle);
    leaf
}

/// The root of the batch that a bundle, whose leaf has this hash, says it was taken from.
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

/// Verifies that a bundle with this hash and key speaks about `payload`.
///
/// # Errors
/// `PAYLOAD_MISMATCH` when it speaks about another one.
pub fn check_payload(hash: Hash, key: &str, payload: Payload<'_>) -> Result<()> {
    // A payload that this hash cannot take has no key, so it differs.
    if hash.key_of(payload).is_ok_and(|own| own == key) {
        return Ok(());
    }
    let expected = match hash {
        // The key is the payload itself, which can be a secret.
        Hash::None => format!("the one that is the payload key itself (hash none), of {} bytes", key.len()),
        _ => format!("the one with {} key {}", hash.as_str(), escape(key)),
    };
    Err(Code::PayloadMismatch.error(format!("payload: expected {expected}, got another")))
}
