//! Whom to trust.

use super::{id::KeyId, verifying::VerifyingKey};
use crate::error::{Code, Result};
use alloc::{format, vec::Vec};

/// The public keys that a verifier trusts, found by id.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    /// Sorted by id, each id once.
    keys: Vec<VerifyingKey>,
}

impl Keyring {
    /// Trusts another key.
    pub fn add(&mut self, key: VerifyingKey) {
        match self.position(key.id()) {
            Ok(at) => self.keys[at] = key,
            Err(at) => self.keys.insert(at, key),
        }
    }

    /// The key that a message names.
    ///
    /// # Errors
    /// `SIGNER_UNKNOWN` when the keyring does not hold it.
    pub fn find(&self, id: KeyId) -> Result<&VerifyingKey> {
        self.position(id).map(|at| &self.keys[at]).map_err(|_| {
            let (held, got) = (self.keys.len(), id.as_str());
            Code::SignerUnknown.error(format!("signer: expected one of the keyring's {held} keys, got {got}"))
        })
    }

    /// All keys, sorted by id.
    pub fn iter(&self) -> core::slice::Iter<'_, VerifyingKey> {
        self.keys.iter()
    }

    #[inline(never)]
    fn position(&self, id: KeyId) -> core::result::Result<usize, usize> {
        self.keys.binary_search_by(|key| key.id().cmp(&id))
    }
}

impl FromIterator<VerifyingKey> for Keyring {
    fn from_iter<I: IntoIterator<Item = VerifyingKey>>(keys: I) -> Self {
        let mut keyring = Self::default();
        keys.into_iter().for_each(|key| keyring.add(key));
        keyring
    }
}
