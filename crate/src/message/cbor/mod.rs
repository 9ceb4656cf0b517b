//! The same messages in CBOR (`FORMAT.md`, "CBOR").

mod convert;
mod names;
mod reader;
mod write;

pub use convert::{decode, of_json, to_json};
