//! Inputs: the sources of a payload made from more than one, and the tree over them (`FORMAT.md`, "bundle/2"). A signature
//! covers their number and their root, so a bundle can be read without its inputs.

use crate::{
    digest::Hash,
    merkle::{Node, Texts, Tree},
    prefixed::push_text,
};
use alloc::{borrow::Cow, vec::Vec};

/// One source of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// A payload, under the name in its own bundles.
    Payload {
        /// Hash that made its key.
        hash: Hash,
        /// Payload key.
        key: Cow<'a, str>,
    },
    /// All payloads of a sealed set, by the set's id.
    Set(Node),
}

impl Input<'_> {
    /// Appends the hashed bytes of its leaf (RFC 9162 §2.1.1). After the first two bytes comes one fixed length, or each text
    /// after its length: two inputs never have the same leaf.
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

/// Returns the leaves of the tree over these inputs, hashed four at a time.
#[inline(never)]
pub fn leaves_of(inputs: &[Input<'_>]) -> Vec<Node> {
    let mut leaves = Texts::default();
    for input in inputs {
        leaves.push(|leaf| input.push_leaf(leaf));
    }
    leaves.hashes()
}

/// The known inputs of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs<'a> {
    /// The whole list, in the signer's order; at least one.
    All(Vec<Input<'a>>),
    /// The number and the root, which the signature covers.
    Short(Short),
}

impl Inputs<'_> {
    /// Returns the number and the root of the inputs, which a signature covers.
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
    /// Number of inputs.
    pub size: usize,
    /// Root of the tree over the inputs.
    pub root: Node,
}
