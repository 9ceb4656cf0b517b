//! Formats of published messages: the kinds of messages, and their decoded contents.

pub mod cbor;
mod claims;
mod content;
mod faults;
mod inputs;
mod plain;
pub mod read;
mod reader;
mod source;
pub mod write;

use crate::{
    bundle::Bundle,
    inputs::Inputs,
    keys::{KeyId, Signature},
    merkle::Node,
};
use alloc::vec::Vec;

/// `messageType` of a bundle with its own signature.
pub const BUNDLE_TYPE: &str = "alvarium.AnnotationBundle/1";
/// `messageType` of a bundle with its own signature and with inputs.
pub const INPUTS_TYPE: &str = "alvarium.AnnotationBundle/2";
/// `messageType` of many bundles under one signature.
pub const BATCH_TYPE: &str = "alvarium.AnnotationBatch/1";
/// `messageType` of one bundle that was extracted from a batch.
pub const BATCHED_TYPE: &str = "alvarium.BatchedBundle/1";

/// A decoded message. The structure is valid, but the signature is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Message bundle/1 or bundle/2.
    Bundle(SignedBundle<'a>),
    /// Message batch/1.
    Batch(SignedBatch<'a>),
    /// One bundle that was extracted from a batch/1.
    Batched(BatchedBundle<'a>),
}

impl Message<'_> {
    /// Returns the key id of the claimed signer.
    pub fn signer(&self) -> KeyId {
        match self {
            Self::Bundle(signed) => signed.bundle.signer,
            Self::Batch(batch) => batch.signer,
            Self::Batched(batched) => batched.bundle.signer,
        }
    }

    /// Returns true if the message has only the number and the root of its inputs, and not the list.
    pub fn is_short(&self) -> bool {
        let bundle = match self {
            Self::Bundle(signed) => &signed.bundle,
            Self::Batched(batched) => &batched.bundle,
            Self::Batch(_) => return false,
        };
        matches!(bundle.inputs, Some(Inputs::Short(_)))
    }
}

/// A bundle with its own signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBundle<'a> {
    /// Claimed contents of the bundle.
    pub bundle: Bundle<'a>,
    /// Signature over the bundle's identity bytes.
    pub signature: Signature,
}

/// A batch of bundles by one signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBatch<'a> {
    /// Key id of the signer of the batch, which is also the signer of each bundle.
    pub signer: KeyId,
    /// Claimed contents of the bundles. There is at least one.
    pub bundles: Vec<Bundle<'a>>,
    /// Signature over the batch's identity bytes.
    pub signature: Signature,
}

/// One bundle of a batch, with its inclusion proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchedBundle<'a> {
    /// Claimed contents of the bundle.
    pub bundle: Bundle<'a>,
    /// Proof that the bundle is in the batch.
    pub proof: Proof,
    /// Signature over the batch's identity bytes.
    pub signature: Signature,
}

/// An inclusion proof (RFC 9162 §2.1.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Index of the bundle in the batch, from 0.
    pub index: usize,
    /// Number of bundles in the batch.
    pub size: usize,
    /// Siblings on the path from the leaf to the root.
    pub path: Vec<Node>,
}
