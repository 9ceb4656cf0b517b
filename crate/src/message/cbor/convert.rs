//! Between JSON and CBOR, by way of what a message means.

use super::{
    super::{Message, faults::malformed, read, write as json},
    reader::Reader,
    write::write,
};
use crate::error::Result;
use alloc::vec::Vec;

/// Reads a message in CBOR and checks its structure, by the rules for JSON. A batch has one spelling.
///
/// # Errors
/// `MESSAGE_MALFORMED`, naming what is wrong.
pub fn decode(message: &[u8]) -> Result<Message<'_>> {
    let decoded = read::decode_from(&mut Reader::new(message), message.len())?;
    if matches!(decoded, Message::Batch(_)) && write(&decoded) != message {
        return Err(malformed("bundles: expected the one spelling of this batch in CBOR, got another"));
    }
    Ok(decoded)
}

/// The CBOR of a message in JSON.
///
/// # Errors
/// `MESSAGE_MALFORMED` when it is no sound message.
pub fn of_json(message: &[u8]) -> Result<Vec<u8>> {
    read::decode(message).map(|message| write(&message))
}

/// The JSON of a message in CBOR, byte for byte what our writer of JSON would have written.
///
/// # Errors
/// `MESSAGE_MALFORMED` when it is no sound message, or too long for JSON.
pub fn to_json(message: &[u8]) -> Result<Vec<u8>> {
    json::message(&decode(message)?)
}
