//! The public keys that a verifier trusts.

use super::{
    curve::{self, Claim, Tables, Under, verify_many},
    id::KeyId,
    verifying::VerifyingKey,
};
use crate::error::{Code, Result};
use alloc::{boxed::Box, format, vec::Vec};
use core::ops::Range;
use ed25519_dalek::Signature;

/// Default memory limit, in bytes, for the tables of a keyring's keys.
pub const TABLE_BYTES: usize = 8 * 1024 * 1024;

/// Public keys that a verifier trusts, by id. A key of [`Keyring::add_bytes`] is decoded when it is first
/// used.
#[derive(Debug)]
pub struct Keyring {
    /// Entries sorted by id, with each id once.
    entries: Vec<Entry>,
    tables: Tables,
}

#[derive(Debug)]
struct Entry {
    id: KeyId,
    bytes: [u8; 32],
    key: Option<Box<curve::VerifyingKey>>,
    /// Number of counted verifications since the key last had a table.
    uses: u32,
}

impl Entry {
    fn read(&mut self) -> Option<&curve::VerifyingKey> {
        if self.key.is_none() {
            self.key = Some(Box::new(curve::VerifyingKey::from_bytes(&self.bytes).ok()?));
        }
        self.key.as_deref()
    }
}

/// A claimed signature of a signer in the keyring.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// Key id of the claimed signer.
    pub signer: KeyId,
    /// Bytes that the signer is claimed to have signed.
    pub bytes: &'a [u8],
    /// Claimed signature.
    pub signature: &'a Signature,
}

impl Keyring {
    /// Makes a keyring with a limit for tables, in bytes. The table of an often used key takes about 53,000.
    pub fn with_table_bytes(bytes: usize) -> Self {
        Self { entries: Vec::new(), tables: Tables::within(bytes) }
    }

    /// Adds a trusted key.
    pub fn add(&mut self, key: VerifyingKey) {
        self.push(key.id(), key.to_bytes(), Some(Box::new(*key.key())));
    }

    /// Adds a trusted key of 32 bytes that was checked before. If the bytes are not a valid key, no signature
    /// verifies under it. Adding many keys is fastest in the order of their ids.
    pub fn add_bytes(&mut self, bytes: [u8; 32]) {
        self.push(KeyId::of(&bytes), bytes, None);
    }

    fn push(&mut self, id: KeyId, bytes: [u8; 32], key: Option<Box<curve::VerifyingKey>>) {
        let entry = Entry { id, bytes, key, uses: 0 };
        match self.search(id) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// Removes a trusted key.
    pub fn remove(&mut self, id: KeyId) {
        if let Ok(at) = self.search(id) {
            self.entries.remove(at);
        }
        self.tables.remove(&id);
    }

    /// Checks that the keyring has the key that a message names.
    ///
    /// # Errors
    /// `SIGNER_UNKNOWN` when the keyring does not have the key.
    pub fn check_known(&self, id: KeyId) -> Result<()> {
        if self.search(id).is_ok() {
            return Ok(());
        }
        let (held, got) = (self.entries.len(), id.as_str());
        let keys = if held == 1 { "key" } else { "keys" };
        let text = format!("signer: expected one in the keyring of {held} {keys}, got {got}");
        Err(Code::SignerUnknown.error(text).of(id.as_str()))
    }

    /// Returns true if the keyring has the signer's key and the signature verifies under this key.
    pub fn verifies(&mut self, signed: &Signed<'_>) -> bool {
        self.verify_many(core::slice::from_ref(signed)) == [true]
    }

    /// Verifies many signatures, a little faster than [`Keyring::verifies`] one by one. The outcomes are
    /// those of [`Keyring::verifies`].
    pub fn verify_many(&mut self, all: &[Signed<'_>]) -> Vec<bool> {
        let known: Vec<bool> = all.iter().map(|signed| self.prepare(signed.signer).is_some()).collect();
        let claims = all.iter().filter_map(|&Signed { signer, bytes, signature }| {
            Some(Claim { key: self.under(signer)?, message: bytes, signature })
        });
        let mut verdicts = verify_many(&claims.collect::<Vec<_>>()).into_iter();
        known.into_iter().map(|is_known| is_known && verdicts.next().unwrap_or(false)).collect()
    }

    /// Finds the signer of these bytes among a range of keys, counted in the order of their ids. Tries one
    /// verification per key until one succeeds. These verifications do not count towards a table.
    pub fn signer_among(&mut self, bytes: &[u8], signature: &Signature, keys: Range<usize>) -> Option<KeyId> {
        let tables = &self.tables;
        let is_signers = |entry: &mut Entry| {
            let under = tables.of(&entry.id);
            let Some(key) = under.or_else(|| entry.read().map(Under::from)) else { return false };
            verify_many(&[Claim { key, message: bytes, signature }]) == [true]
        };
        let mut some = self.entries.iter_mut().skip(keys.start).take(keys.len());
        some.find_map(|entry| is_signers(entry).then_some(entry.id))
    }

    /// Decodes the signer's point, and computes a table if the key has been used often enough.
    fn prepare(&mut self, id: KeyId) -> Option<()> {
        let at = self.search(id).ok()?;
        let entry = &mut self.entries[at];
        let uses = entry.uses;
        entry.uses = self.tables.use_once(id, entry.read()?, uses);
        Some(())
    }

    fn under(&self, id: KeyId) -> Option<Under<'_>> {
        if let Some(table) = self.tables.of(&id) {
            return Some(table);
        }
        let at = self.search(id).ok()?;
        self.entries[at].key.as_deref().map(Under::from)
    }

    #[inline(never)]
    fn search(&self, id: KeyId) -> core::result::Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.id.as_str().bytes().cmp(id.as_str().bytes()))
    }
}

impl Default for Keyring {
    fn default() -> Self {
        Self::with_table_bytes(TABLE_BYTES)
    }
}

impl FromIterator<VerifyingKey> for Keyring {
    fn from_iter<I: IntoIterator<Item = VerifyingKey>>(keys: I) -> Self {
        let mut keyring = Self::default();
        keys.into_iter().for_each(|key| keyring.add(key));
        keyring
    }
}
