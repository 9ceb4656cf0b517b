//! CBOR encoding of the messages (`FORMAT.md`, "CBOR").

mod convert;
mod names;
mod read_row;
mod reader;
mod rows;
mod write;
mod write_row;

pub use convert::{decode, of_json, to_json};
