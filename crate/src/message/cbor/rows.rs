//! State of reading and writing the rows of a batch (`FORMAT.md`, "Batches in CBOR").

use crate::{digest::sha256, timestamp::parse_micros};
use alloc::vec::Vec;
use core::mem;

/// Last id and last time. The next id (even of the same row) and the next time may be differences from them.
#[derive(Default)]
pub(super) struct Last {
    pub(super) id: Option<u128>,
    /// Microseconds since 1970. `None` after a time that our writer would format differently.
    pub(super) micros: Option<u64>,
}

impl Last {
    /// Returns the difference from the last id, if it fits in 32 bits.
    pub(super) fn id_difference(&mut self, id: u128) -> Option<u32> {
        let last = self.id.replace(id);
        u32::try_from(id.checked_sub(last?)?).ok()
    }

    /// Returns the difference from the last time, if it fits in 32 bits and both times are in our writer's format.
    pub(super) fn time_difference(&mut self, timestamp: &str) -> Option<u32> {
        let last = mem::replace(&mut self.micros, parse_micros(timestamp));
        u32::try_from(self.micros?.checked_sub(last?)?).ok()
    }
}

#[derive(Default)]
pub(super) struct RowReader {
    /// Positions of the shared members in the message, by their numbers.
    pub(super) places: Vec<usize>,
    pub(super) last: Last,
    /// Position of the next id of the row. `None` after the row's timestamp, and outside of rows.
    pub(super) id_at: Option<usize>,
    /// Number of ids read in the row so far.
    pub(super) ids: usize,
    /// Minimum number of bytes of the bundles in JSON so far.
    pub(super) least: usize,
}

#[derive(Default)]
pub(super) struct RowWriter {
    pub(super) members: MemberTable,
    pub(super) last: Last,
}

/// Numbers of written shared members, in a tree by their hashes, because a `BTreeMap` has 5 kB of code.
#[derive(Default)]
pub(super) struct MemberTable {
    nodes: Vec<MemberNode>,
    /// Encoded shared members of the last row, and their number. They are compared first, because most rows
    /// have the same ones.
    last: (Vec<u8>, usize),
}

struct MemberNode {
    hash: [u8; 32],
    /// Indices of the child nodes, by the next bit of the hash. 0 means that there is none, because 0 is the root.
    below: [u32; 2],
}

impl MemberTable {
    /// Returns the number of these members. Returns `None` and adds them if they are new.
    pub(super) fn number_of(&mut self, members: &[u8]) -> Option<usize> {
        if !self.nodes.is_empty() && self.last.0 == members {
            return Some(self.last.1);
        }
        let hash = sha256(&[members]);
        let new = self.nodes.len();
        let number = self.find_or_add(hash);
        self.last = (members.to_vec(), number);
        Some(number).filter(|number| *number != new)
    }

    /// Finds or adds the node with a hash, in at most as many steps as a hash has bits.
    fn find_or_add(&mut self, hash: [u8; 32]) -> usize {
        let new = self.nodes.len();
        let (mut at, mut depth) = (0, 0);
        while let Some(node) = self.nodes.get_mut(at) {
            if node.hash == hash {
                return at;
            }
            let bit = hash[depth / 8 % 32] >> (depth % 8) & 1;
            let below = &mut node.below[usize::from(bit)];
            if *below == 0 {
                *below = new as u32;
                break;
            }
            at = *below as usize;
            depth += 1;
        }
        self.nodes.push(MemberNode { hash, below: [0; 2] });
        new
    }
}
