//! Keeps tables of multiples of often used keys. With a table, a verification takes a third of the time.
//!
//! The received messages decide which keys get a table, so the cost of tables must be bounded. A key gets a table
//! after [`USES_FIRST`] verifications without one. The memory of all tables is limited. When it is full, a table is
//! replaced at most every [`PAUSE`] verifications, so that making tables takes only a small part of the time.

use super::id::KeyId;
use alloc::vec::Vec;
use ed25519x4::{KeyTable, Under, VerifyingKey};

/// Number of verifications before a key gets a table. Making the table takes about as long as the table
/// saves in five verifications.
const USES_FIRST: u32 = 8;
/// Minimum number of verifications, under any keys, between two replacements of a table.
const PAUSE: u64 = 256;

/// A key with its table.
#[derive(Debug)]
struct Tabled {
    owner: KeyId,
    table: KeyTable,
    last_used: u64,
}

/// Tables of the keys of a keyring.
#[derive(Debug)]
pub(super) struct Tables {
    /// Keys with tables, sorted by key id.
    held: Vec<Tabled>,
    most: usize,
    /// Number of verifications so far.
    now: u64,
    last_replaced: u64,
}

impl Tables {
    /// Makes an empty store for as many tables as fit in `bytes`.
    pub(super) fn within(bytes: usize) -> Self {
        Self { held: Vec::new(), most: bytes / KeyTable::BYTES, now: 0, last_replaced: 0 }
    }

    /// Returns the table of a key, if it has one.
    pub(super) fn of(&self, owner: &KeyId) -> Option<Under<'_>> {
        self.search(owner).ok().map(|at| Under::Table(&self.held[at].table))
    }

    /// Counts a use of a key, and makes a table after enough uses.
    ///
    /// # Returns
    /// The number of uses of the key without a table.
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

    /// Removes a key's table, if it has one.
    pub(super) fn remove(&mut self, owner: &KeyId) {
        if let Ok(at) = self.search(owner) {
            self.held.remove(at);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys, with the number of uses of each without a table.
    struct Users {
        tables: Tables,
        keys: Vec<(KeyId, VerifyingKey, u32)>,
    }

    impl Users {
        fn with_room_for(bytes: usize) -> Self {
            let key = |seed| ed25519x4::SigningKey::from_bytes(&[seed; 32]).verifying_key();
            let keys = (1..=4).map(key).map(|key| (KeyId::of(key.as_bytes()), key, 0));
            Self { tables: Tables::within(bytes), keys: keys.collect() }
        }

        fn use_often(&mut self, at: usize, times: u64) {
            let (id, key, uses) = &mut self.keys[at];
            (0..times).for_each(|_| *uses = self.tables.use_once(*id, key, *uses));
        }

        fn have(&self) -> [bool; 4] {
            [0, 1, 2, 3].map(|at| self.tables.of(&self.keys[at].0).is_some())
        }
    }

    const ONE: usize = KeyTable::BYTES;

    // claim: threats-15
    #[test]
    fn a_key_gets_its_table_with_the_ninth_use() {
        let mut users = Users::with_room_for(ONE);
        users.use_often(0, 8);
        assert_eq!((users.have()[0], users.keys[0].2), (false, 8));
        users.use_often(0, 1);
        assert_eq!((users.have()[0], users.keys[0].2), (true, 0));
        users.use_often(0, 1);
        assert_eq!((users.have()[0], users.keys[0].2), (true, 0));
    }

    #[test]
    fn there_are_as_many_as_there_is_room_for() {
        let mut users = Users::with_room_for(3 * ONE - 1);
        (0..4).for_each(|at| users.use_often(at, 20));
        assert_eq!(users.have(), [true, true, false, false]);
        assert_eq!(users.keys[3].2, 20);
    }

    #[test]
    fn where_there_is_room_for_none_there_is_none_however_long_it_takes() {
        let mut users = Users::with_room_for(ONE - 1);
        users.use_often(0, 3 * PAUSE);
        assert_eq!(users.have(), [false; 4]);
    }

    // claim: threats-17
    #[test]
    fn what_was_not_used_for_longest_gives_way_at_most_every_256_verifications() {
        let mut users = Users::with_room_for(2 * ONE);
        users.use_often(0, 9);
        users.use_often(1, 9);
        users.use_often(0, 1);
        users.use_often(2, PAUSE - 20);
        assert_eq!(users.have(), [true, true, false, false]);
        users.use_often(2, 1);
        assert_eq!(users.have(), [true, false, true, false]);
        users.use_often(3, PAUSE - 1);
        assert_eq!(users.have(), [true, false, true, false]);
        users.use_often(3, 1);
        assert_eq!(users.have(), [false, false, true, true]);
    }
}
