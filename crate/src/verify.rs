//! Verification: a list of checks, each with a code of its own.

use crate::{
    batch::{push_leaf, tree_of},
    bundle::{Bundle, VerifiedBundle, quote},
    digest::{Hash, Payload},
    error::{Code, Error, Result},
    identity::{batch_identity_bytes, identity_bytes},
    keys::{KeyId, Keyring, Signature, Signed},
    merkle::{self, Node, Parents},
    message::{BatchedBundle, Message, SignedBatch, SignedBundle, read},
    sha256x4,
};
use alloc::{collections::VecDeque, format, vec, vec::Vec};
use core::ops::Range;

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
        match message {
            Message::Bundle(SignedBundle { bundle, signature }) => {
                let identity = identity_bytes(&bundle);
                self.check_signature(bundle.signer, &identity, &signature)?;
                Ok(vec![VerifiedBundle { bundle, id: merkle::leaf(&identity) }])
            }
            Message::Batch(SignedBatch { signer, bundles, signature }) => {
                let tree = tree_of(&bundles);
                self.check_root(signer, bundles.len(), &tree.root(), &signature)?;
                let identified = bundles.into_iter().zip(tree.leaves());
                Ok(identified.map(|(bundle, &id)| VerifiedBundle { bundle, id }).collect())
            }
            Message::Batched(batched) => {
                let id = merkle::leaf(&identity_bytes(&batched.bundle));
                let root = root_of(&batched, id, &mut self.parents)?;
                let BatchedBundle { bundle, proof, signature } = batched;
                self.check_root(bundle.signer, proof.size, &root, &signature)?;
                Ok(vec![VerifiedBundle { bundle, id }])
            }
        }
    }

    fn check_root(&mut self, signer: KeyId, size: usize, root: &Node, signature: &Signature) -> Result<()> {
        let identity = batch_identity_bytes(signer, size, root);
        if self.verified.iter().any(|(known, by)| *known == identity && by == signature) {
            return Ok(());
        }
        self.check_signature(signer, &identity, signature)?;
        if self.verified.len() == REMEMBERED {
            self.verified.pop_front();
        }
        self.verified.push_back((identity, *signature));
        Ok(())
    }

    /// By a signer that the keyring is known to hold.
    fn check_signature(&mut self, signer: KeyId, bytes: &[u8], signature: &Signature) -> Result<()> {
        let is_good = self.keyring.verifies(&Signed { signer, bytes, signature });
        if is_good { Ok(()) } else { Err(unverified(signer)) }
    }
}

/// The bytes that a message's signature is over, read from the message. Nothing is verified.
///
/// # Errors
/// - `MESSAGE_MALFORMED`: not a message, or not a sound one
/// - `SIGNATURE_INVALID`: a batched bundle whose proof leads to no root
pub fn identity_of(message: &[u8]) -> Result<Vec<u8>> {
    match read::decode(message)? {
        Message::Bundle(SignedBundle { bundle, .. }) => Ok(identity_bytes(&bundle)),
        Message::Batch(SignedBatch { signer, bundles, .. }) => {
            Ok(batch_identity_bytes(signer, bundles.len(), &tree_of(&bundles).root()))
        }
        Message::Batched(batched) => {
            let leaf = merkle::leaf(&identity_bytes(&batched.bundle));
            let root = root_of(&batched, leaf, &mut Parents::default())?;
            Ok(batch_identity_bytes(batched.bundle.signer, batched.proof.size, &root))
        }
    }
}

/// What is hashed for a bundle's id.
fn leaf_of(bundle: &Bundle<'_>) -> Vec<u8> {
    let mut leaf = Vec::with_capacity(512);
    push_leaf(&mut leaf, bundle);
    leaf
}

/// The root of the batch that a bundle, whose leaf has this hash, says it was taken from.
fn root_of(batched: &BatchedBundle<'_>, leaf: Node, parents: &mut Parents) -> Result<Node> {
    let BatchedBundle { bundle, proof, .. } = batched;
    let root = parents.root_from(leaf, proof.index, proof.size, &proof.path);
    root.ok_or_else(|| altered(bundle.signer, "a proof of another length"))
}

fn unverified(signer: KeyId) -> Error {
    altered(signer, "one that does not verify: something was altered")
}

#[cold]
fn altered(signer: KeyId, got: &str) -> Error {
    let signer = signer.as_str();
    Code::SignatureInvalid
        .error(format!("signature: expected one by {signer} over these contents, got {got}"))
}

/// Verifies that a bundle with this hash and key speaks about `payload`.
///
/// # Errors
/// `PAYLOAD_MISMATCH` when it speaks about another one.
pub fn check_payload(hash: Hash, key: &str, payload: Payload<'_>) -> Result<()> {
    // A payload that this hash cannot take has no key, so it is another one.
    if hash.key_of(payload).is_ok_and(|own| own == key) {
        return Ok(());
    }
    let (hash, key) = (hash.as_str(), quote(key));
    Err(Code::PayloadMismatch.error(format!("payload: expected the one with {hash} key {key}, got another")))
}
