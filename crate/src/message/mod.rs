//! The bytes that are published: which messages there are, and what is in them once they are decoded.

mod claims;
mod content;
mod faults;
pub mod read;
mod reader;
pub mod write;

use crate::{
    bundle::Bundle,
    keys::{KeyId, SIGNATURE_LENGTH},
    merkle::Node,
};
use alloc::vec::Vec;

/// `messageType` of a bundle with a signature of its own.
pub const BUNDLE_TYPE: &str = "alvarium.AnnotationBundle/1";
/// `messageType` of many bundles under one signature.
pub const BATCH_TYPE: &str = "alvarium.AnnotationBatch/1";
/// `messageType` of one bundle taken out of a batch.
pub const BATCHED_TYPE: &str = "alvarium.BatchedBundle/1";

/// Longest message with one bundle that is decoded, in bytes. The longest that [`crate::seal`] writes is shorter.
pub const MAX_MESSAGE: usize = 2 * 1024 * 1024;
/// Longest message with a batch, in bytes.
pub const MAX_BATCH_MESSAGE: usize = 16 * 1024 * 1024;
/// Most bundles in one batch.
pub const MAX_BUNDLES: usize = 65_536;

/// A signature over identity bytes.
pub type Signature = [u8; SIGNATURE_LENGTH];

/// A decoded message: sound in structure, but not yet believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// bundle/1
    Bundle(SignedBundle<'a>),
    /// batch/1
    Batch(SignedBatch<'a>),
    /// One bundle of a batch/1
    Batched(BatchedBundle<'a>),
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

/// How many bytes a JSON string begins with that stand for themselves: up to a quotation mark, a backslash or a control
/// character. Sixteen at a time.
fn plain_length(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<16>();
    let at = |(at, chunk)| match special_bits(chunk) {
        0 => None,
        bits => Some(16 * at + bits.trailing_zeros() as usize),
    };
    let in_rest = || 16 * chunks.len() + rest.iter().take_while(|&&byte| !is_special(byte)).count();
    chunks.iter().enumerate().find_map(at).unwrap_or_else(in_rest)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Bit n: byte n is special. The compiler makes one vector load of the two halves.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn special_bits(chunk: &[u8; 16]) -> u16 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2, v128_or};
    let [low, high] = [0, 8].map(|at| u64::from_le_bytes(chunk[at..at + 8].try_into().unwrap_or_default()));
    let bytes = u64x2(low, high);
    let is = |byte| u8x16_eq(bytes, u8x16_splat(byte));
    u8x16_bitmask(v128_or(v128_or(is(b'"'), is(b'\\')), u8x16_lt(bytes, u8x16_splat(0x20))))
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn special_bits(chunk: &[u8; 16]) -> u16 {
    chunk.iter().rev().fold(0, |bits, &byte| bits << 1 | u16::from(is_special(byte)))
}
