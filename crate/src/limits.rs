//! Limits of bundles and messages (FORMAT.md, Limits): longer ones are neither written nor read. JavaScript takes the
//! numbers from the generated glue (`js/foundation/core/core.ts`), because it checks most limits before it copies anything into
//! the core.

use wasm_bindgen::prelude::wasm_bindgen;

/// Maximum lengths in bytes.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Longest {
    /// Host name or kind, in UTF-8.
    Name = 255,
    /// Tag, in UTF-8.
    Tag = 1024,
    /// Payload with hash `none`: the payload itself is the key then, and the message must stay small.
    Unhashed = 65_536,
    /// Message with one bundle, when it is decoded. The longest that [`crate::seal`] writes is shorter.
    Message = 2_097_152,
    /// Message with a batch, or with a bundle that has inputs.
    BatchMessage = 16_777_216,
}

/// Maximum counts.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// Annotators of one SDK: their answers travel as the bits of one 32-bit number.
    Annotators = 32,
    /// Annotations in one bundle.
    Annotations = 256,
    /// Bundles in one batch.
    Bundles = 65_536,
}

/// Longest host name and longest kind, in bytes of UTF-8.
pub const MAX_NAME: usize = Longest::Name as usize;
/// Longest tag, in bytes of UTF-8.
pub const MAX_TAG: usize = Longest::Tag as usize;
/// Longest payload that hash `none` takes, in bytes.
pub const MAX_UNHASHED: usize = Longest::Unhashed as usize;
/// Longest message with one bundle, in bytes.
pub const MAX_MESSAGE: usize = Longest::Message as usize;
/// Longest message with a batch, or with a bundle that has inputs, in bytes.
pub const MAX_BATCH_MESSAGE: usize = Longest::BatchMessage as usize;
/// Most annotators of one SDK.
pub const MAX_ANNOTATORS: usize = Most::Annotators as usize;
/// Most annotations in one bundle.
pub const MAX_ANNOTATIONS: usize = Most::Annotations as usize;
/// Most bundles in one batch.
pub const MAX_BUNDLES: usize = Most::Bundles as usize;
/// Most inputs of one bundle: as many as bundles of a batch, so a path in their tree is no longer.
pub const MAX_INPUTS: usize = MAX_BUNDLES;
