//! Messages out of JSON, read strictly.
//!
//! Members that a format does not know are refused: nobody signed them. So are members given twice, which two
//! readers could understand differently.

use super::{
    BATCH_TYPE, BATCHED_TYPE, BUNDLE_TYPE, MAX_BATCH_MESSAGE, Message,
    claims::Text,
    content::{Content, Kind},
    faults::{got, malformed},
    reader::Reader,
};
use crate::error::{Error, Result};
use alloc::format;

/// Reads a message and checks its structure.
///
/// # Errors
/// `MESSAGE_MALFORMED`, naming every field that is wrong.
pub fn decode(message: &[u8]) -> Result<Message<'_>> {
    assert_length(message, MAX_BATCH_MESSAGE)?;
    let Envelope { action, message_type, content } = Envelope::read(message)?;
    let content = content.ok_or_else(|| malformed("content: expected an object, got nothing"))?;
    let kind = kind_of(&message_type).ok_or_else(|| unknown_type(message_type.as_deref()))?;
    let content = match content {
        Part::Read(content) => content,
        Part::Skipped(mut reader) => {
            assert_length(message, kind.longest())?;
            Content::read(&mut reader, kind)?
        }
    };
    content.checked(kind, action)
}

fn assert_length(message: &[u8], most: usize) -> Result<()> {
    match message.len() {
        length if length > most => Err(malformed(&format!("expected at most {most} bytes, got {length}"))),
        _ => Ok(()),
    }
}

fn kind_of(message_type: &Text<'_>) -> Option<Kind> {
    message_type.as_deref().and_then(Kind::of)
}

#[cold]
fn unknown_type(other: Option<&str>) -> Error {
    let known = format!("\"{BUNDLE_TYPE}\", \"{BATCH_TYPE}\" or \"{BATCHED_TYPE}\"");
    malformed(&format!("messageType: expected {known}, got {}", got(other)))
}

/// The members of a message as they stand, each given at most once.
#[derive(Default)]
struct Envelope<'a> {
    action: Text<'a>,
    message_type: Text<'a>,
    content: Option<Part<'a>>,
}

/// The content: read at once where the type has come before it, as in all messages that we write. Otherwise it has to
/// be stepped over first.
#[allow(clippy::large_enum_variant, reason = "there is one of them, on the stack")]
enum Part<'a> {
    Read(Content<'a>),
    Skipped(Reader<'a>),
}

impl<'a> Envelope<'a> {
    fn read(message: &'a [u8]) -> Result<Self> {
        let Self { mut action, mut message_type, mut content } = Self::default();
        let mut reader = Reader::new(message)?;
        reader.object(&mut |reader, name| match name {
            "action" => reader.once(name, &mut action, Reader::string),
            "messageType" => reader.once(name, &mut message_type, Reader::string),
            "content" => reader.once(name, &mut content, |reader| match kind_of(&message_type) {
                Some(kind) => {
                    assert_length(message, kind.longest())?;
                    Content::read(reader, kind).map(Part::Read)
                }
                None => reader.skip().map(Part::Skipped),
            }),
            _ => Err(reader.unknown(name)),
        })?;
        reader.end()?;
        Ok(Self { action, message_type, content })
    }
}
