//! Converts messages between JSON and CBOR, by decoding and encoding.

use super::{
    super::{Message, faults::malformed, read, write as json},
    reader::Reader,
    write::write,
};
use crate::error::Result;
use alloc::vec::Vec;

/// Reads a message in CBOR and checks its structure by the rules for JSON. A batch has only one valid encoding.
///
/// # Errors
/// `MESSAGE_MALFORMED`, naming the fault.
pub fn decode(message: &[u8]) -> Result<Message<'_>> {
    let decoded = read::decode_from(&mut Reader::new(message), message.len())?;
    if matches!(decoded, Message::Batch(_)) && write(&decoded) != message {
        return Err(malformed("bundles: expected the canonical CBOR of this batch, got another encoding"));
    }
    Ok(decoded)
}

/// Converts a message from JSON to CBOR.
///
/// # Errors
/// `MESSAGE_MALFORMED` for an invalid message.
pub fn of_json(message: &[u8]) -> Result<Vec<u8>> {
    read::decode(message).map(|message| write(&message))
}

/// Converts a message from CBOR to JSON, with exactly the bytes that our JSON writer writes.
///
/// # Errors
/// `MESSAGE_MALFORMED` for an invalid message, or one that is too long in JSON.
pub fn to_json(message: &[u8]) -> Result<Vec<u8>> {
    json::message(&decode(message)?)
}
