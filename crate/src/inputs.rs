//! What a payload was made from, where that is more than one payload: its inputs, and the tree over them (`FORMAT.md`,
//! "bundle/2"). A signature covers how many there are and their root, so a bundle can be read without them.

use crate::{
    digest::Hash,
    merkle::{Node, Texts, Tree},
    prefixed::push_text,
};
use alloc::{borrow::Cow, vec::Vec};

/// Something that a payload was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// A payload, by the name that its own bundles have for it.
    Payload {
        /// How its key was made.
        hash: Hash,
        /// Its key.
        key: Cow<'a, str>,
    },
    /// All payloads of a sealed set, by the set's id.
    Set(Node),
}

impl Input<'_> {
    /// Appends what is hashed for its leaf (RFC 9162 §2.1.1). What stands behind the first two bytes has one length, or lengths
    /// before it: two inputs never have the same leaf.
    fn push_leaf(&self, leaf: &mut Vec<u8>) {
        match self {
            Self::Payload { hash, key } => {
                leaf.extend_from_slice(&[0, 0]);
                push_text(leaf, hash.as_str());
                push_text(leaf, key);
            }
            Self::Set(id) => {
                leaf.extend_from_slice(&[0, 1]);
                leaf.extend_from_slice(id);
            }
        }
    }
}

/// The leaves of the tree over these inputs: four at a time.
#[inline(never)]
pub fn leaves_of(inputs: &[Input<'_>]) -> Vec<Node> {
    let mut leaves = Texts::default();
    for input in inputs {
        leaves.push(|leaf| input.push_leaf(leaf));
    }
    leaves.hashes()
}

/// The inputs of a bundle, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs<'a> {
    /// All of them, in the order of whoever signed; at least one.
    All(Vec<Input<'a>>),
    /// What a signature covers of them.
    Short(Short),
}

impl Inputs<'_> {
    /// What a signature covers of them.
    pub fn short(&self) -> Short {
        match self {
            Self::All(inputs) => Short { size: inputs.len(), root: Tree::new(&leaves_of(inputs)).root() },
            Self::Short(short) => *short,
        }
    }
}

/// Inputs without their list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// How many there are.
    pub size: usize,
    /// The root of the tree over them.
    pub root: Node,
}
