//! Strict reader of messages in JSON. [`super::cbor`] reads CBOR.
//!
//! The reader refuses members that a format does not have, because they are not signed. It also refuses duplicate
//! members, because two readers could use different ones.

use super::{
    BATCH_TYPE, BATCHED_TYPE, BUNDLE_TYPE, INPUTS_TYPE, Message,
    claims::Text,
    content::{Content, Kind},
    faults::{malformed, quoted},
    reader::Reader,
    source::Source,
};
use crate::{
    error::{Error, Result},
    limits::MAX_BATCH_MESSAGE,
};
use alloc::format;

/// Reads a complete message in JSON, and checks its structure.
///
/// # Errors
/// `MESSAGE_MALFORMED` for an invalid message. If several fields are wrong, the error may name only some.
pub fn decode(message: &[u8]) -> Result<Message<'_>> {
    let decoded = decode_short(message)?;
    if !decoded.is_short() {
        return Ok(decoded);
    }
    // Refuse a message without the list of inputs. It has the same id as the complete one, so a consumer that
    // accepted it would skip the complete message as a copy.
    Err(malformed("inputs: expected an array, got an object"))
}

/// Reads a message in JSON, and checks its structure. Outside of a batch, the number and the root of the
/// inputs may replace their list.
///
/// # Errors
/// `MESSAGE_MALFORMED` for an invalid message.
pub fn decode_short(message: &[u8]) -> Result<Message<'_>> {
    assert_length(message.len(), MAX_BATCH_MESSAGE)?;
    decode_from(&mut Reader::new(message)?, message.len())
}

/// Reads a message of `length` bytes from a source at its start.
pub(super) fn decode_from<'a>(source: &mut dyn Source<'a>, length: usize) -> Result<Message<'a>> {
    assert_length(length, MAX_BATCH_MESSAGE)?;
    let Envelope { action, kind, content } = Envelope::read(source, length)?;
    let content = content.ok_or_else(|| malformed("content: expected an object, got nothing"))?;
    let kind = kind.ok_or_else(|| unknown_type(None))?;
    assert_length(length, content.longest())?;
    content.checked(kind, action)
}

fn assert_length(length: usize, most: usize) -> Result<()> {
    if length <= most {
        return Ok(());
    }
    Err(malformed(&format!("expected at most {most} bytes, got {length}")))
}

#[cold]
fn unknown_type(other: Option<&str>) -> Error {
    let known = format!("\"{BUNDLE_TYPE}\", \"{INPUTS_TYPE}\", \"{BATCH_TYPE}\" or \"{BATCHED_TYPE}\"");
    let is_classic = other.is_some_and(|name| name.ends_with("AnnotationList"));
    let advice = if is_classic { ", of an SDK that verifyClassic reads" } else { "" };
    malformed(&format!("messageType: expected {known}, got {}{advice}", quoted(other)))
}

/// Members of a message at the top level.
#[derive(Default)]
struct Envelope<'a> {
    action: Text<'a>,
    kind: Option<Kind>,
    content: Option<Content<'a>>,
}

impl<'a> Envelope<'a> {
    fn read(source: &mut dyn Source<'a>, length: usize) -> Result<Self> {
        let Self { mut action, mut kind, mut content } = Self::default();
        source.object(&mut |source, name| match name {
            "action" => source.text(name, &mut action),
            "messageType" => source.once(name, &mut kind, read_type),
            "content" => source.once(name, &mut content, |source| {
                assert_length(length, kind.map_or(MAX_BATCH_MESSAGE, Kind::longest))?;
                Content::read(source, kind)
            }),
            _ => Err(source.unknown(name)),
        })?;
        source.end()?;
        Ok(Self { action, kind, content })
    }
}

fn read_type<'a>(source: &mut dyn Source<'a>) -> Result<Kind> {
    let name = source.string()?;
    Kind::of(&name).ok_or_else(|| unknown_type(Some(&name)))
}
