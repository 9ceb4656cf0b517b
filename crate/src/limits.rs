//! Limits of bundles and messages (FORMAT.md, Limits). Anything beyond them is neither written nor read. JavaScript
//! reads the limits from the generated glue code (`js/foundation/core/core.ts`), because it checks most of them
//! before it copies data to the core.

use wasm_bindgen::prelude::wasm_bindgen;

/// Maximum lengths in bytes.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Longest {
    /// Host name or kind of an annotator, in UTF-8.
    Name = 255,
    /// Tag, in UTF-8.
    Tag = 1024,
    /// Payload with hash `none`. The payload itself is then the key, and the message must stay small.
    Unhashed = 65_536,
    /// Message with one bundle, when it is decoded. Messages that [`crate::seal`] writes are always shorter.
    Message = 2_097_152,
    /// Message with a batch, or with a bundle that has inputs.
    BatchMessage = 16_777_216,
}

/// Maximum counts.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// Annotators of one SDK. Their answers are passed as bits of one 32-bit number.
    Annotators = 32,
    /// Annotations in one bundle.
    Annotations = 256,
    /// Bundles in one batch.
    Bundles = 65_536,
}

/// Maximum length of a host name and of a kind, in bytes of UTF-8.
pub const MAX_NAME: usize = Longest::Name as usize;
/// Maximum length of a tag, in bytes of UTF-8.
pub const MAX_TAG: usize = Longest::Tag as usize;
/// Maximum length of a payload with hash `none`, in bytes.
pub const MAX_UNHASHED: usize = Longest::Unhashed as usize;
/// Maximum length of a message with one bundle, in bytes.
pub const MAX_MESSAGE: usize = Longest::Message as usize;
/// Maximum length of a message with a batch, or with a bundle that has inputs, in bytes.
pub const MAX_BATCH_MESSAGE: usize = Longest::BatchMessage as usize;
/// Maximum number of annotators of one SDK.
pub const MAX_ANNOTATORS: usize = Most::Annotators as usize;
/// Maximum number of annotations in one bundle.
pub const MAX_ANNOTATIONS: usize = Most::Annotations as usize;
/// Maximum number of bundles in one batch.
pub const MAX_BUNDLES: usize = Most::Bundles as usize;
/// Maximum number of inputs of one bundle. It equals the maximum number of bundles in a batch, so that
/// Merkle paths have the same maximum length.
pub const MAX_INPUTS: usize = MAX_BUNDLES;
