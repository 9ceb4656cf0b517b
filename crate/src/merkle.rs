//! The Merkle tree of a batch: RFC 9162 §2.1, with SHA-256.
//!
//! Leaves and nodes are hashed with different first bytes, so no node can be passed off as a leaf (§2.1.1).

use crate::{digest::sha256, sha256x4};
use alloc::vec::Vec;
use core::mem;

/// A hash in the tree, 32 bytes.
pub type Node = [u8; 32];

/// The hash of a leaf: SHA-256(0x00 ‖ data).
pub fn leaf(data: &[u8]) -> Node {
    sha256(&[&[0], data])
}

fn parent(left: &Node, right: &Node) -> Node {
    sha256(&[&[1], left, right])
}

/// How many texts wait to be hashed together, four of them at a time: to hash all of a large batch at its end would take long.
const TOGETHER: usize = 64;

/// What is hashed for nodes: as it comes, but for the last few.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    hashed: Vec<Node>,
    /// Those that wait, one behind the other.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.hashed.len() + self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more, which is what `write` appends.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
        if self.ends.len() == TOGETHER {
            self.hash();
        }
    }

    /// Their hashes, in order.
    pub fn hashes(mut self) -> Vec<Node> {
        self.hash();
        self.hashed
    }

    /// Hashes those that wait.
    #[inline(never)]
    fn hash(&mut self) {
        let mut start = 0;
        let text = |&end: &usize| &self.bytes[mem::replace(&mut start, end)..end];
        self.hashed.extend(sha256x4::digests(&self.ends.iter().map(text).collect::<Vec<_>>()));
        self.bytes.clear();
        self.ends.clear();
    }
}

/// The parents of pairs of nodes.
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

/// All levels of a tree, from its leaves up to its root. It grows until it is ended.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    levels: Vec<Vec<Node>>,
    /// Of leaves behind those that are hashed.
    texts: Texts,
}

impl Tree {
    /// The tree over these leaves, of which there is at least one.
    pub fn new(leaves: &[Node]) -> Self {
        let mut tree = Self::default();
        tree.grow(leaves);
        tree.end();
        tree
    }

    /// How many leaves it has.
    pub fn len(&self) -> usize {
        self.leaves().len() + self.texts.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more leaf, the hash of what `write` appends.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.texts.push(write);
        if self.texts.ends.is_empty() {
            let hashed = mem::take(&mut self.texts.hashed);
            self.grow(&hashed);
        }
    }

    /// More leaves, behind those that are there. Nodes whose siblings are there too get their parents, many at a time: to hash all
    /// of a large tree at its end would take long.
    pub fn grow(&mut self, leaves: &[Node]) {
        self.level(0).extend_from_slice(leaves);
        let mut at = 0;
        while self.raise(at, TOGETHER) {
            at += 1;
        }
    }

    /// No more leaves come.
    ///
    /// Building level by level, where a last node without a sibling moves up as it is, gives the tree of §2.1.1,
    /// which splits at the largest power of two below the size.
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

    /// Gives parents to pairs on a level that have none yet, if it is at least so many: whether it was.
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

    /// The root, of a tree that is ended.
    pub fn root(&self) -> Node {
        self.levels.iter().rev().find_map(|level| level.first()).copied().unwrap_or_default()
    }

    /// The hashes of the leaves.
    pub fn leaves(&self) -> &[Node] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    /// The inclusion proof of a leaf (§2.1.3.1): its siblings on the way up.
    pub fn path(&self, mut index: usize) -> Vec<Node> {
        let mut path = Vec::new();
        for level in &self.levels {
            path.extend(level.get(index ^ 1));
            index >>= 1;
        }
        path
    }
}

/// A tree that grows for ever, of which only the roots of its full subtrees are kept: as many as its size has bits.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// By level: the root of a full subtree of 2^level leaves, where the size has that bit.
    full: Vec<Option<Node>>,
}

impl Frontier {
    /// More leaves. A level at a time, so that nodes are hashed together.
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

    /// The root; of no leaves, SHA-256 of nothing (RFC 9162 §2.1.1).
    pub fn root(&self) -> Node {
        let mut full = self.full.iter().flatten();
        let Some(first) = full.next() else { return sha256(&[]) };
        full.fold(*first, |right, left| parent(left, &right))
    }
}

/// Parents that have been computed already, so that the bundles of one batch, verified one by one, do not hash the whole
/// way up each time.
///
/// Nothing that is sent can make this give a wrong root: an entry is only taken for exactly the two nodes that were
/// hashed for it. Which tree they belong to does not matter to a hash, so entries are not bound to a batch, or a signer.
#[derive(Clone, Debug, Default)]
pub struct Parents {
    /// Left, right, parent. Empty until the first one comes.
    computed: Vec<Option<[Node; 3]>>,
}

/// How many parents are kept: all of a batch of 256. Those of larger ones share places.
const KEPT: usize = 256;

impl Parents {
    /// The root that a leaf, its place and its path lead to (§2.1.3.2), if they fit a tree of that size.
    pub fn root_from(&mut self, leaf: Node, index: usize, size: usize, path: &[Node]) -> Option<Node> {
        let mut siblings = path.iter();
        let (mut node, mut index, mut last) = (leaf, index, size.checked_sub(1)?);
        if index > last {
            return None;
        }
        while last > 0 {
            // Levels of a full tree do not overlap here.
            let place = (index >> 1) + (last >> 1);
            // The last node of a level has no sibling there when its index is even: it moves up as it is.
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
