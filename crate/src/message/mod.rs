//! Published bytes: the kinds of messages, and their decoded contents.

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

/// `messageType` of a bundle with a signature of its own.
pub const BUNDLE_TYPE: &str = "alvarium.AnnotationBundle/1";
/// `messageType` of a bundle with a signature of its own and inputs.
pub const INPUTS_TYPE: &str = "alvarium.AnnotationBundle/2";
/// `messageType` of many bundles under one signature.
pub const BATCH_TYPE: &str = "alvarium.AnnotationBatch/1";
/// `messageType` of one bundle taken out of a batch.
pub const BATCHED_TYPE: &str = "alvarium.BatchedBundle/1";

/// A decoded message, whose structure is valid, but whose signature is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// A bundle/1 or bundle/2.
    Bundle(SignedBundle<'a>),
    /// A batch/1.
    Batch(SignedBatch<'a>),
    /// One bundle of a batch/1.
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

    /// Returns whether the message is without its inputs.
    pub fn is_short(&self) -> bool {
        let bundle = match self {
            Self::Bundle(signed) => &signed.bundle,
            Self::Batched(batched) => &batched.bundle,
            Self::Batch(_) => return false,
        };
        matches!(bundle.inputs, Some(Inputs::Short(_)))
    }
}

/// A bundle with a signature of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBundle<'a> {
    /// Claimed bundle.
    pub bundle: Bundle<'a>,
    /// Signature over the bundle's identity bytes.
    pub signature: Signature,
}

/// A batch of bundles by one signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBatch<'a> {
    /// Key id of the signer of the batch, and so of each bundle.
    pub signer: KeyId,
    /// Claimed bundles, at least one.
    pub bundles: Vec<Bundle<'a>>,
    /// Signature over the batch's identity bytes.
    pub signature: Signature,
}

/// One bundle of a batch, with its inclusion proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchedBundle<'a> {
    /// Claimed bundle.
    pub bundle: Bundle<'a>,
    /// Proof that the bundle is in the batch.
    pub proof: Proof,
    /// Signature over the batch's identity bytes.
    pub signature: Signature,
}

/// An inclusion proof (RFC 9162 §2.1.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Place of the bundle in the batch, from 0.
    pub index: usize,
    /// Number of bundles in the batch.
    pub size: usize,
    /// Siblings on the way from the leaf to the root.
    pub path: Vec<Node>,
}
