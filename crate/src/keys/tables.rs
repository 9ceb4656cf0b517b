//! Multiples of the keys that are seen often, with which a verification takes a third of the time.
//!
//! Which keys get a table depends on what comes, so what comes must not be able to make that expensive: a table is made
//! after [`USES_FIRST`] verifications without one; their memory is bounded; and once it is full, one gives way to
//! another at most every [`PAUSE`] verifications, so that making tables never takes more than a small part of the time.

use super::id::KeyId;
use alloc::vec::Vec;
use ed25519x4::{KeyTable, VerifyingKey};

/// Verifications under a key that go without: making its table takes as long as about so many of them would save.
const USES_FIRST: u32 = 8;
/// Verifications, under whatever keys, between one table that gives way and the next.
const PAUSE: u64 = 256;

/// A key that has a table.
#[derive(Debug)]
struct Tabled {
    owner: KeyId,
    table: KeyTable,
    last_used: u64,
}

/// The tables of a keyring.
#[derive(Debug)]
pub(super) struct Tables {
    /// Sorted by owner.
    held: Vec<Tabled>,
    most: usize,
    /// Counts verifications.
    now: u64,
    last_replaced: u64,
}

impl Tables {
    /// As many tables as fit into so many bytes.
    pub(super) fn within(bytes: usize) -> Self {
        Self { held: Vec::new(), most: bytes / KeyTable::BYTES, now: 0, last_replaced: 0 }
    }

    /// The table of a key, if it has one.
    pub(super) fn of(&self, owner: &KeyId) -> Option<&KeyTable> {
        self.search(owner).ok().map(|at| &self.held[at].table)
    }

    /// Notes that a key is about to be used once more, and makes its table if it is due.
    ///
    /// # Returns
    /// How often it has been used without one.
    pub(super) fn use_once(&mut self, owner: KeyId, key: &VerifyingKey, uses: u32) -> u32 {
        self.now += 1;
        if let Ok(at) = self.search(&owner) {
            self.held[at].last_used = self.now;
            return 0;
        }
        if uses < USES_FIRST || !self.make_room() {
            return uses.saturating_add(1);
        }
        let (Ok(at) | Err(at)) = self.search(&owner);
        self.held.insert(at, Tabled { owner, table: key.table(), last_used: self.now });
        0
    }

    fn search(&self, owner: &KeyId) -> Result<usize, usize> {
        self.held.binary_search_by(|held| held.owner.cmp(owner))
    }

    fn make_room(&mut self) -> bool {
        if self.held.len() < self.most {
            return true;
        }
        if self.most == 0 || self.now - self.last_replaced < PAUSE {
            return false;
        }
        let oldest = self.held.iter().enumerate().min_by_key(|(_, held)| held.last_used);
        if let Some((at, _)) = oldest {
            self.held.remove(at);
        }
        self.last_replaced = self.now;
        true
    }
}
