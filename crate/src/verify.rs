//! Verification: a list of checks, each with a code of its own.

use crate::{
    batch::tree_of,
    bundle::{Bundle, quote},
    digest::{Hash, Payload},
    error::{Code, Error, Result},
    identity::{batch_identity_bytes, identity_bytes},
    keys::{KeyId, Keyring, Signature, Signed},
    merkle::{self, Node, Parents},
    message::{BatchedBundle, Message, SignedBatch, SignedBundle, read},
};
use alloc::{collections::VecDeque, format, vec, vec::Vec};

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
        let by_last = |&signer: &KeyId| self.keyring.verifies(&Signed { signer, bytes, signature });
        let signer = match self.last_signer.filter(by_last) {
            Some(last) => last,
            None => self.keyring.signer_of(bytes, signature)?,
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
    pub fn verify<'a>(&mut self, message: &'a [u8]) -> Result<Vec<Bundle<'a>>> {
        self.check(read::decode(message)?)
    }

    /// Verifies many messages, each as [`Verifier::verify`] does: in less time, and no verdict depends on the others.
    pub fn verify_many<'a>(&mut self, messages: &[&'a [u8]]) -> Vec<Result<Vec<Bundle<'a>>>> {
        let decoded: Vec<_> = messages.iter().map(|message| read::decode(message)).collect();
        let mut verdicts = self.verdicts(&decoded).into_iter();
        let each = |message: Result<Message<'a>>| match message? {
            Message::Bundle(SignedBundle { bundle, .. }) => {
                self.keyring.check_known(bundle.signer)?;
                let is_good = verdicts.next().unwrap_or(false);
                if is_good { Ok(vec![bundle]) } else { Err(unverified(bundle.signer)) }
            }
            other => self.check(other),
        };
        decoded.into_iter().map(each).collect()
    }

    /// What the keyring says of the bundles with signatures of their own, of signers that it knows.
    fn verdicts(&mut self, messages: &[Result<Message<'_>>]) -> Vec<bool> {
        let bundles = messages.iter().filter_map(|message| match message {
            Ok(Message::Bundle(signed)) => Some(signed),
            _ => None,
        });
        let known = bundles.filter(|signed| self.keyring.check_known(signed.bundle.signer).is_ok());
        let identified: Vec<_> = known.map(|signed| (signed, identity_bytes(&signed.bundle))).collect();
        let claims = identified.iter().map(|(SignedBundle { bundle, signature }, bytes)| Signed {
            signer: bundle.signer,
            bytes,
            signature,
        });
        self.keyring.verify_many(&claims.collect::<Vec<_>>())
    }

    fn check<'a>(&mut self, message: Message<'a>) -> Result<Vec<Bundle<'a>>> {
        match message {
            Message::Bundle(SignedBundle { bundle, signature }) => {
                self.check_signature(bundle.signer, &identity_bytes(&bundle), &signature)?;
                Ok(vec![bundle])
            }
            Message::Batch(SignedBatch { signer, bundles, signature }) => {
                self.check_root(signer, bundles.len(), &tree_of(&bundles).root(), &signature)?;
                Ok(bundles)
            }
            Message::Batched(batched) => {
                let root = root_of(&batched, &mut self.parents)?;
                let BatchedBundle { bundle, proof, signature } = batched;
                self.check_root(bundle.signer, proof.size, &root, &signature)?;
                Ok(vec![bundle])
            }
        }
    }

    fn check_root(&mut self, signer: KeyId, size: usize, root: &Node, signature: &Signature) -> Result<()> {
        let identity = batch_identity_bytes(signer, size, root);
        // Whoever was trusted may not be any more: the keyring is asked in any case.
        self.keyring.check_known(signer)?;
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

    fn check_signature(&mut self, signer: KeyId, bytes: &[u8], signature: &Signature) -> Result<()> {
        self.keyring.check_known(signer)?;
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
            let root = root_of(&batched, &mut Parents::default())?;
            Ok(batch_identity_bytes(batched.bundle.signer, batched.proof.size, &root))
        }
    }
}

/// The root of the batch that a bundle says it was taken from.
fn root_of(BatchedBundle { bundle, proof, .. }: &BatchedBundle<'_>, parents: &mut Parents) -> Result<Node> {
    let leaf = merkle::leaf(&identity_bytes(bundle));
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
