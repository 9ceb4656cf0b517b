//! Verification: a list of checks, each with a code of its own.

use crate::{
    batch::tree_of,
    bundle::{Bundle, quote},
    digest::{Hash, Payload},
    error::{Code, Error, Result},
    identity::{batch_identity_bytes, identity_bytes},
    keys::{
        KeyId, Keyring, Signature,
        together::{Claim, all_verify},
    },
    merkle::{self, Node, Parents},
    message::{BatchedBundle, Message, SignedBatch, SignedBundle, read},
};
use alloc::{collections::VecDeque, format, vec, vec::Vec};

/// How many batches a verifier remembers.
const REMEMBERED: usize = 64;

/// Verifies messages for one keyring.
#[derive(Clone, Debug, Default)]
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
        let last = self.last_signer.and_then(|id| self.keyring.find(id).ok());
        let mut candidates = last.into_iter().chain(self.keyring.iter());
        let signer = candidates.find(|key| key.verifies(bytes, signature))?.id();
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

    /// Verifies many messages, each as [`Verifier::verify`] does. Bundles with signatures of their own are checked all
    /// together, and only if one of those is bad one by one, which tells which.
    pub fn verify_many<'a>(&mut self, messages: &[&'a [u8]]) -> Vec<Result<Vec<Bundle<'a>>>> {
        let decoded: Vec<_> = messages.iter().map(|message| read::decode(message)).collect();
        let all_good = self.all_verify(&decoded);
        let each = |message: Result<Message<'a>>| match message? {
            // A signer that is not in the keyring was not among those that were checked.
            Message::Bundle(SignedBundle { bundle, .. })
                if all_good && self.keyring.find(bundle.signer).is_ok() =>
            {
                Ok(vec![bundle])
            }
            other => self.check(other),
        };
        decoded.into_iter().map(each).collect()
    }

    /// Whether the bundles with signatures of their own, by signers in the keyring, are all good.
    fn all_verify(&self, messages: &[Result<Message<'_>>]) -> bool {
        let bundles = messages.iter().filter_map(|message| match message {
            Ok(Message::Bundle(signed)) => Some((self.keyring.find(signed.bundle.signer).ok()?, signed)),
            _ => None,
        });
        let identified: Vec<_> =
            bundles.map(|(key, signed)| (key, identity_bytes(&signed.bundle), signed)).collect();
        let claims: Vec<Claim<'_>> = identified
            .iter()
            .map(|(key, bytes, signed)| Claim { key, bytes, signature: &signed.signature })
            .collect();
        all_verify(&claims)
    }

    fn check<'a>(&mut self, message: Message<'a>) -> Result<Vec<Bundle<'a>>> {
        // Before anything is hashed: a stranger's 16 MiB cost no more than being read. Whoever was trusted when a root was
        // remembered may not be any more, too.
        self.keyring.find(message.signer())?;
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

    fn check_signature(&self, signer: KeyId, identity: &[u8], signature: &Signature) -> Result<()> {
        if self.keyring.find(signer)?.verifies(identity, signature) {
            return Ok(());
        }
        Err(altered(signer, "one that does not verify: something was altered"))
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
