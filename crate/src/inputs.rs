//! Inputs are the sources of a payload, with a Merkle tree over them (`FORMAT.md`, "bundle/2"). The signature covers
//! the number and the root of the inputs, so a bundle can be read without the list.

use crate::{
    digest::Hash,
    merkle::{Node, Texts, Tree},
    prefixed::push_text,
};
use alloc::{borrow::Cow, vec::Vec};

/// One source of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// A payload, by the hash and key in the payload's own bundles.
    Payload {
        /// Hash function that made the key.
        hash: Hash,
        /// Key of the payload.
        key: Cow<'a, str>,
    },
    /// All payloads of a sealed set, by the set's id.
    Set(Node),
}

impl Input<'_> {
    /// Appends the input of the leaf's hash (RFC 9162 §2.1.1). The first two bytes give the type, and the rest has a
    /// fixed length, or each text is preceded by its length. Two inputs thus never have the same leaf.
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

/// Inputs of a bundle, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs<'a> {
    /// The whole list, in the signer's order. It has at least one input.
    All(Vec<Input<'a>>),
    /// Number and root of the inputs without the list. The signature covers both.
    Short(Short),
}

impl Inputs<'_> {
    /// Returns the number and the root of the inputs. A signature covers both.
    pub fn short(&self) -> Short {
        match self {
            Self::All(inputs) => Short { size: inputs.len(), root: Tree::new(&leaves_of(inputs)).root() },
            Self::Short(short) => *short,
        }
    }
}

/// Number and root of inputs, without the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// Number of inputs.
    pub size: usize,
    /// Root of the tree over the inputs.
    pub root: Node,
}
