//! Verification: a list of checks, each with a code of its own.

use crate::{
    batch::tree_of,
    bundle::{Bundle, quote},
    digest::{Hash, Payload},
    error::{Code, Error, Result},
    identity::{batch_identity_bytes, identity_bytes},
    keys::{
        KeyId, Keyring,
        together::{Claim, all_verify},
    },
    merkle::{self, Node},
    message::{BatchedBundle, Message, Signature, SignedBatch, SignedBundle, read},
};
use std::collections::VecDeque;

/// How many batches a verifier remembers.
const REMEMBERED: usize = 64;

/// Verifies messages for one keyring.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    /// Whom to trust.
    pub keyring: Keyring,
    /// What batch signatures have been verified over, newest last: the bundles of a batch share one.
    verified: VecDeque<(Vec<u8>, Signature)>,
}

impl Verifier {
    /// A verifier that trusts these keys.
    pub fn new(keyring: Keyring) -> Self {
        Self { keyring, verified: VecDeque::new() }
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
        match message {
            Message::Bundle(SignedBundle { bundle, signature }) => {
                self.check_signature(bundle.signer, &identity_bytes(&bundle), &signature)?;
                Ok(vec![bundle])
            }
            Message::Batch(SignedBatch { signer, bundles, signature }) => {
                self.check_root(signer, bundles.len(), &tree_of(&bundles).root(), &signature)?;
                Ok(bundles)
            }
            Message::Batched(BatchedBundle { bundle, proof, signature }) => {
                let leaf = merkle::leaf(&identity_bytes(&bundle));
                let root = merkle::root_from(leaf, proof.index, proof.size, &proof.path);
                let root = root.ok_or_else(|| altered(bundle.signer, "a proof of another length"))?;
                self.check_root(bundle.signer, proof.size, &root, &signature)?;
                Ok(vec![bundle])
            }
        }
    }

    fn check_root(&mut self, signer: KeyId, size: usize, root: &Node, signature: &Signature) -> Result<()> {
        let identity = batch_identity_bytes(signer, size, root);
        // Whoever was trusted may not be any more: the keyring is asked in any case.
        self.keyring.find(signer)?;
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
