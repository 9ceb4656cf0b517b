//! The bytes that are published: which messages there are, and what is in them once they are decoded.

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
/// `messageType` of the same with inputs.
pub const INPUTS_TYPE: &str = "alvarium.AnnotationBundle/2";
/// `messageType` of many bundles under one signature.
pub const BATCH_TYPE: &str = "alvarium.AnnotationBatch/1";
/// `messageType` of one bundle taken out of a batch.
pub const BATCHED_TYPE: &str = "alvarium.BatchedBundle/1";

/// A decoded message: sound in structure, but not yet believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// bundle/1 or bundle/2
    Bundle(SignedBundle<'a>),
    /// batch/1
    Batch(SignedBatch<'a>),
    /// One bundle of a batch/1
    Batched(BatchedBundle<'a>),
}

impl Message<'_> {
    /// Whose key should have signed it.
    pub fn signer(&self) -> KeyId {
        match self {
            Self::Bundle(signed) => signed.bundle.signer,
            Self::Batch(batch) => batch.signer,
            Self::Batched(batched) => batched.bundle.signer,
        }
    }

    /// Whether its inputs are not in it.
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
    /// What is claimed.
    pub bundle: Bundle<'a>,
    /// The signature over the bundle's identity bytes.
    pub signature: Signature,
}

/// Many bundles by one signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBatch<'a> {
    /// Whose key signed the batch, and so each bundle.
    pub signer: KeyId,
    /// What is claimed, at least one.
    pub bundles: Vec<Bundle<'a>>,
    /// The signature over the batch's identity bytes.
    pub signature: Signature,
}

/// One bundle of a batch, with what proves that it was in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchedBundle<'a> {
    /// What is claimed.
    pub bundle: Bundle<'a>,
    /// Where in the batch it stands.
    pub proof: Proof,
    /// The signature over the batch's identity bytes.
    pub signature: Signature,
}

/// An inclusion proof (RFC 9162 §2.1.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The bundle's place in the batch, from 0.
    pub index: usize,
    /// How many bundles the batch has.
    pub size: usize,
    /// The siblings on the way from the leaf to the root.
    pub path: Vec<Node>,
}
