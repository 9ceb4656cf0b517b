//! Merkle trees by RFC 9162 §2.1, with SHA-256.
//!
//! Leaves and nodes are hashed with different first bytes, so no node can be presented as a leaf (§2.1.1).

use crate::{digest::sha256, sha256x4};
use alloc::vec::Vec;
use core::mem;

/// A hash of a leaf or a node in the tree, 32 bytes.
pub type Node = [u8; 32];

/// Returns the hash of a leaf: SHA-256(0x00 ‖ data).
pub fn leaf(data: &[u8]) -> Node {
    sha256(&[&[0], data])
}

fn parent(left: &Node, right: &Node) -> Node {
    sha256(&[&[1], left, right])
}

/// Number of texts hashed in one step, four at a time. Hashing a whole large batch at once would block for too long.
const TOGETHER: usize = 64;

/// Collects the hash inputs of nodes. Hashes them in steps while they arrive, except for the last few.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    hashed: Vec<Node>,
    /// Texts that are not hashed yet, without separators.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.hashed.len() + self.ends.len()
    }

    /// Returns true if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the text that `write` appends.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
        if self.ends.len() == TOGETHER {
            self.hash();
        }
    }

    /// Returns the hashes of all texts, in order.
    pub fn hashes(mut self) -> Vec<Node> {
        self.hash();
        self.hashed
    }

    /// Hashes the texts that are not hashed yet.
    #[inline(never)]
    fn hash(&mut self) {
        let mut start = 0;
        let text = |&end: &usize| &self.bytes[mem::replace(&mut start, end)..end];
        self.hashed.extend(sha256x4::digests(&self.ends.iter().map(text).collect::<Vec<_>>()));
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Returns the parent of each pair of nodes.
#[inline(never)]
fn above(pairs: &[[Node; 2]]) -> Vec<Node> {
    let mut texts = Texts::default();
    for pair in pairs {
        texts.push(|bytes| {
            bytes.push(1);
            bytes.extend_from_slice(pair.as_flattened());
        });
    }
    texts.hashes()
}

/// All levels of a tree, from the leaves to the root. The tree can grow until [`Tree::end`].
#[derive(Clone, Debug, Default)]
pub struct Tree {
    levels: Vec<Vec<Node>>,
    /// Texts of the last leaves, which are not hashed yet.
    texts: Texts,
}

impl Tree {
    /// Makes the tree over these leaves. There must be at least one.
    pub fn new(leaves: &[Node]) -> Self {
        let mut tree = Self::default();
        tree.grow(leaves);
        tree.end();
        tree
    }

    /// Returns the number of leaves.
    pub fn len(&self) -> usize {
        self.leaves().len() + self.texts.len()
    }

    /// Returns true if the tree has no leaves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a leaf, which is the hash of the bytes that `write` appends.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.texts.push(write);
        if self.texts.ends.is_empty() {
            let hashed = mem::take(&mut self.texts.hashed);
            self.grow(&hashed);
        }
    }

    /// Appends leaves, and computes parents in steps. Computing a whole large tree at once would block for too long.
    pub fn grow(&mut self, leaves: &[Node]) {
        self.level(0).extend_from_slice(leaves);
        let mut at = 0;
        while self.raise(at, TOGETHER) {
            at += 1;
        }
    }

    /// Completes the tree, which then accepts no more leaves.
    ///
    /// The tree is built level by level, and a last node without a sibling moves up unchanged. The result is
    /// the tree of RFC 9162 §2.1.1, which splits at the largest power of two below the size.
    #[inline(never)]
    pub fn end(&mut self) {
        let hashed = mem::take(&mut self.texts).hashes();
        self.grow(&hashed);
        let mut at = 0;
        while self.level(at).len() > 1 {
            self.raise(at, 1);
            let alone = self.level(at).as_chunks::<2>().1.first().copied();
            at += 1;
            self.level(at).extend(alone);
        }
    }

    /// Adds the missing parents of a level if at least `least` pairs have none. Returns true if it added them.
    fn raise(&mut self, at: usize, least: usize) -> bool {
        let done = 2 * self.level(at + 1).len();
        let pairs = self.level(at)[done..].as_chunks::<2>().0;
        let is_enough = pairs.len() >= least;
        if is_enough {
            let parents = above(pairs);
            self.level(at + 1).extend(parents);
        }
        is_enough
    }

    fn level(&mut self, at: usize) -> &mut Vec<Node> {
        if self.levels.len() <= at {
            self.levels.resize(at + 1, Vec::new());
        }
        &mut self.levels[at]
    }

    /// Returns the root. Call it after [`Tree::end`].
    pub fn root(&self) -> Node {
        self.levels.iter().rev().find_map(|level| level.first()).copied().unwrap_or_default()
    }

    /// Returns the hashes of the leaves.
    pub fn leaves(&self) -> &[Node] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    /// Returns the inclusion proof of a leaf (RFC 9162 §2.1.3.1): the siblings on the path from the leaf to
    /// the root.
    pub fn path(&self, mut index: usize) -> Vec<Node> {
        let mut path = Vec::new();
        for level in &self.levels {
            path.extend(level.get(index ^ 1));
            index >>= 1;
        }
        path
    }
}

/// Computes the root of an unbounded tree. Keeps only the roots of full subtrees, at most one per bit of the size.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// Roots of full subtrees by level. Level n has a root of 2ⁿ leaves if bit n of the size is set.
    full: Vec<Option<Node>>,
}

impl Frontier {
    /// Appends leaves. Works level by level, so that many nodes are hashed in one step.
    #[inline(never)]
    pub fn grow(&mut self, leaves: &[Node]) {
        let mut nodes = leaves.to_vec();
        for level in 0.. {
            if nodes.is_empty() {
                return;
            }
            if level == self.full.len() {
                self.full.push(None);
            }
            if let Some(left) = self.full[level].take() {
                nodes.insert(0, left);
            }
            if nodes.len() % 2 == 1 {
                self.full[level] = nodes.pop();
            }
            nodes = above(nodes.as_chunks::<2>().0);
        }
    }

    /// Returns the root. Without leaves, it is the SHA-256 of no bytes (RFC 9162 §2.1.1).
    pub fn root(&self) -> Node {
        let mut full = self.full.iter().flatten();
        let Some(first) = full.next() else { return sha256(&[]) };
        full.fold(*first, |right, left| parent(left, &right))
    }
}

/// A cache of parents. With the cache, later bundles of a batch need not hash their whole path.
///
/// No message can make it return a wrong root, because an entry is used only for exactly the two nodes from which it
/// was computed. The hash does not depend on the tree, so entries are not bound to a batch or a signer.
#[derive(Clone, Debug, Default)]
pub struct Parents {
    /// Entries of left node, right node and parent. The list is empty until the first parent is computed.
    computed: Vec<Option<[Node; 3]>>,
}

/// Number of cached parents. They suffice for a batch of 256 bundles. Parents in larger batches share slots.
const KEPT: usize = 256;

impl Parents {
    /// Returns the root computed from a leaf, its index and its path (RFC 9162 §2.1.3.2). Returns `None` if
    /// the index and the path do not fit a tree of this size.
    pub fn root_from(&mut self, leaf: Node, index: usize, size: usize, path: &[Node]) -> Option<Node> {
        let mut siblings = path.iter();
        let (mut node, mut index, mut last) = (leaf, index, size.checked_sub(1)?);
        if index > last {
            return None;
        }
        while last > 0 {
            // Choose slots so that the levels of a full tree do not share any.
            let place = (index >> 1) + (last >> 1);
            // If the last node of a level has an even index, it has no sibling, and moves up unchanged.
            if index & 1 == 1 {
                node = self.parent(place, siblings.next()?, &node);
            } else if index < last {
                node = self.parent(place, &node, siblings.next()?);
            }
            index >>= 1;
            last >>= 1;
        }
        siblings.next().is_none().then_some(node)
    }

    fn parent(&mut self, place: usize, left: &Node, right: &Node) -> Node {
        if self.computed.is_empty() {
            self.computed.resize(KEPT, None);
        }
        let kept = &mut self.computed[place % KEPT];
        match kept {
            Some([l, r, parent]) if l == left && r == right => *parent,
            _ => {
                let parent = parent(left, right);
                *kept = Some([*left, *right, parent]);
                parent
            }
        }
    }
}
