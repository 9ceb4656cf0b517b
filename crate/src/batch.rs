//! Batches: many bundles under one signature in a batch/1 message, and the extraction of single bundles.

use crate::{
    bundle::Bundle,
    error::{Code, Result},
    identity::{batch_identity_bytes, push_identity},
    keys::{KeyId, Signature},
    limits::{MAX_BATCH_MESSAGE, MAX_BUNDLES},
    merkle::{Node, Texts, Tree},
    message::{
        BatchedBundle, Message, Proof, SignedBatch, read,
        write::{self, Unsigned},
    },
};
use alloc::{format, vec::Vec};
use core::mem;

/// Upper bound of the bytes in a message outside of its bundles.
const ENVELOPE: usize = 1024;

/// Collects bundles for one signature.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Bundles, encoded as in the message.
    items: Vec<u8>,
    tree: Tree,
    /// Ids of the previous batch's bundles, 32 bytes each.
    ids: Vec<u8>,
}

impl Batch {
    /// Adds a bundle.
    ///
    /// # Errors
    /// `PAYLOAD_INVALID` when the batch has no room for the bundle. The batch then does not change.
    pub fn add(&mut self, bundle: &Bundle<'_>) -> Result<()> {
        let before = self.items.len();
        write::push_item(&mut self.items, bundle);
        if self.items.len() > MAX_BATCH_MESSAGE - ENVELOPE || self.len() == MAX_BUNDLES {
            self.items.truncate(before);
            let most = format!("{MAX_BUNDLES} bundles and {MAX_BATCH_MESSAGE} bytes");
            return Err(Code::PayloadInvalid.error(format!("batch: expected at most {most}, got more")));
        }
        self.tree.push(|bytes| push_leaf(bytes, bundle));
        Ok(())
    }

    /// Returns the number of bundles in the batch.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Returns true if the batch has no bundles.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Returns the length of the encoded bundles, in bytes.
    pub fn bytes(&self) -> usize {
        self.items.len()
    }

    /// Returns the bytes that `signer` must sign, and the message without its signature. Empties the batch.
    pub fn unsigned(&mut self, signer: KeyId) -> (Vec<u8>, Unsigned) {
        let mut tree = mem::take(&mut self.tree);
        tree.end();
        self.ids = tree.leaves().concat();
        let unsigned = Unsigned::batch(signer, &mem::take(&mut self.items));
        (batch_identity_bytes(signer, tree.len(), &tree.root()), unsigned)
    }

    /// Returns the ids of the bundles in the last message, 32 bytes each, in order. A second call returns no ids.
    pub fn take_ids(&mut self) -> Vec<u8> {
        mem::take(&mut self.ids)
    }
}

/// Appends the input of a leaf's hash: the byte 0, and the identity bytes of a bundle (RFC 9162 §2.1.1).
pub fn push_leaf(leaves: &mut Vec<u8>, bundle: &Bundle<'_>) {
    leaves.push(0);
    push_identity(leaves, bundle);
}

/// Returns the tree over the bundles of a batch.
pub fn tree_of(bundles: &[Bundle<'_>]) -> Tree {
    let mut tree = Tree::default();
    push_all(&mut tree, bundles);
    tree.end();
    tree
}

/// Adds the leaves of more bundles to the tree of a batch.
pub fn push_all(tree: &mut Tree, bundles: &[Bundle<'_>]) {
    for bundle in bundles {
        tree.push(|bytes| push_leaf(bytes, bundle));
    }
}

/// Returns the ids of bundles, which are the leaf hashes of the tree.
#[inline(never)]
pub fn ids_of(bundles: &[Bundle<'_>]) -> Vec<Node> {
    let mut leaves = Texts::default();
    for bundle in bundles {
        leaves.push(|bytes| push_leaf(bytes, bundle));
    }
    leaves.hashes()
}

/// Extracts one bundle of a batch/1 message, as its own message with its inclusion proof. Verifies nothing, because
/// the reader of the new message does.
///
/// # Errors
/// `MESSAGE_MALFORMED` when the message is not a batch, or has no bundle at `index`.
pub fn extract(message: &[u8], index: usize) -> Result<Vec<u8>> {
    let SignedBatch { mut bundles, signature, .. } = read_batch(message)?;
    let size = bundles.len();
    if index >= size {
        return Err(Code::MessageMalformed.error(format!("index: expected below {size}, got {index}")));
    }
    let tree = tree_of(&bundles);
    Ok(taken_out(&tree, bundles.swap_remove(index), index, signature))
}

/// Extracts bundles of a batch, or of a part of a batch, until the messages have `most` bytes or more. Each message
/// is the same as from [`extract`].
///
/// A part is a batch of consecutive bundles. `first` is the index of the part's first bundle in the whole batch, and
/// `skip` is the number of bundles to leave out at the start of the part. `tree` is the tree of the whole batch.
///
/// # Errors
/// `MESSAGE_MALFORMED` when the message is not a batch.
pub fn extract_some(
    tree: &Tree,
    part: &[u8],
    first: usize,
    skip: usize,
    most: usize,
) -> Result<Vec<Vec<u8>>> {
    let SignedBatch { bundles, signature, .. } = read_batch(part)?;
    let (mut messages, mut bytes) = (Vec::new(), 0);
    for (at, bundle) in bundles.into_iter().enumerate().skip(skip) {
        if bytes >= most {
            break;
        }
        let message = taken_out(tree, bundle, first + at, signature);
        bytes += message.len();
        messages.push(message);
    }
    Ok(messages)
}

fn taken_out(tree: &Tree, bundle: Bundle<'_>, index: usize, signature: Signature) -> Vec<u8> {
    let proof = Proof { index, size: tree.len(), path: tree.path(index) };
    write::batched(&BatchedBundle { bundle, proof, signature })
}

/// Reads a message that must be a batch.
///
/// # Errors
/// `MESSAGE_MALFORMED` when the message is not a batch.
pub fn read_batch(message: &[u8]) -> Result<SignedBatch<'_>> {
    match read::decode(message)? {
        Message::Batch(batch) => Ok(batch),
        _ => Err(Code::MessageMalformed.error("message: expected a batch, got a single bundle")),
    }
}
