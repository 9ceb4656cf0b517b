//! Strict reader of CBOR (RFC 8949). If CBOR allows several encodings of a value, this reader accepts only
//! one. The order of a map's members is free here. For a batch, `convert` accepts only our writer's order.
//!
//! minicbor decodes the bytes in place. It compares lengths with the remaining input first, and allocates
//! nothing. Unlike minicbor, this reader refuses arrays and maps of indefinite length (§3.2), and heads that
//! are not the shortest (§4.2.1).

use super::{
    super::{
        faults::malformed,
        source::{Key, Member, Source},
    },
    names::NAMES,
    rows::RowReader,
};
use crate::error::{Error, Result};
use alloc::{borrow::Cow, format};
use minicbor::{Decoder, decode};

pub(super) struct Reader<'a> {
    pub(super) decoder: Decoder<'a>,
    /// Member that is being read, for error messages and for the values that rows may shorten.
    pub(super) member: &'static str,
    pub(super) rows: RowReader,
}

const TEXT: &str = "CBOR text";
pub(super) const MAJOR_TEXT: u8 = 3;

/// Descriptions of the major types (RFC 8949 §3.1), for error messages.
const KINDS: [&str; 8] = [
    "an unsigned integer",
    "a negative integer",
    "bytes",
    "text",
    "an array",
    "a map",
    "a tag",
    "a float or a simple value",
];

type Read<'a, T> = fn(&mut Decoder<'a>) -> core::result::Result<T, decode::Error>;

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { decoder: Decoder::new(bytes), member: "envelope", rows: RowReader::default() }
    }

    /// Reads an item. Returns the value and the position where the item starts.
    pub(super) fn item<T>(&mut self, expected: &str, read: Read<'a, T>) -> Result<(T, usize)> {
        let start = self.decoder.position();
        match read(&mut self.decoder) {
            Ok(value) => Ok((value, start)),
            Err(error) => Err(self.unexpected(expected, start, error.is_end_of_input())),
        }
    }

    /// Checks that the last item has the shortest head for this argument. `behind` bytes follow the head.
    fn assert_shortest(&self, start: usize, argument: u64, behind: usize) -> Result<()> {
        let head = match argument {
            0..=0x17 => 1,
            0x18..=0xff => 2,
            0x100..=0xffff => 3,
            0x1_0000..=0xffff_ffff => 5,
            _ => 9,
        };
        if self.decoder.position() == start + head + behind {
            return Ok(());
        }
        Err(self.error("expected CBOR of definite length in its shortest form, got another encoding"))
    }

    /// Reads the head of an array or a map.
    #[inline(never)]
    pub(super) fn length(&mut self, expected: &str, read: Read<'a, Option<u64>>) -> Result<u64> {
        let (length, start) = self.item(expected, read)?;
        // An indefinite length counts as the maximum, so that `assert_shortest` refuses it.
        let length = length.unwrap_or(u64::MAX);
        self.assert_shortest(start, length, 0)?;
        Ok(length)
    }

    #[inline(never)]
    pub(super) fn text(&mut self) -> Result<&'a str> {
        let (text, start) = self.item(TEXT, Decoder::str)?;
        self.assert_shortest(start, text.len() as u64, text.len())?;
        Ok(text)
    }

    #[inline(never)]
    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let (bytes, start) = self.item("CBOR bytes", Decoder::bytes)?;
        self.assert_shortest(start, bytes.len() as u64, bytes.len())?;
        Ok(bytes)
    }

    #[inline(never)]
    pub(super) fn number(&mut self, expected: &str) -> Result<usize> {
        let (number, start) = self.item(expected, Decoder::u64)?;
        self.assert_shortest(start, number, 0)?;
        // Saturate, because numbers this large are refused anyway.
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Returns the major type of the next item, which is in the upper three bits (RFC 8949 §3).
    pub(super) fn major(&self) -> Option<u8> {
        self.next().map(|first| first >> 5)
    }

    /// Reads the number of a member, and returns the member's name.
    fn name(&mut self) -> Result<&'static str> {
        let number = self.number("a member's number")?;
        NAMES.get(number).copied().ok_or_else(|| {
            self.error(&format!("expected a member's number below {}, got {number}", NAMES.len()))
        })
    }

    fn next(&self) -> Option<u8> {
        self.decoder.input().get(self.decoder.position()).copied()
    }

    #[cold]
    fn unexpected(&mut self, expected: &str, start: usize, is_cut_off: bool) -> Error {
        self.decoder.set_position(start);
        let got = match self.major() {
            None => "the end",
            Some(_) if is_cut_off => "an item that is cut off",
            // If the lower five bits are all set, the length is indefinite (RFC 8949 §3.2).
            Some(2 | 3) if self.next().is_some_and(|first| first & 31 == 31) => "one of indefinite length",
            Some(3) if expected == TEXT => "text that is not UTF-8",
            Some(major) => KINDS[usize::from(major & 7)],
        };
        self.error(&format!("expected {expected}, got {got}"))
    }
}

impl<'a> Source<'a> for Reader<'a> {
    fn object(&mut self, member: Member<'a, '_>) -> Result<()> {
        let outer = self.member;
        for _ in 0..self.length("CBOR map", Decoder::map)? {
            self.member = outer;
            self.member = self.name()?;
            let name = self.member;
            member(self, name)?;
        }
        self.member = outer;
        if outer == "annotations" { self.id_of_row(member) } else { Ok(()) }
    }

    fn bundle(&mut self, member: Member<'a, '_>) -> Result<()> {
        self.row(member)
    }

    fn array(&mut self, item: &mut dyn FnMut(&mut dyn Source<'a>) -> Result<()>) -> Result<()> {
        for _ in 0..self.length("CBOR array", Decoder::array)? {
            item(self)?;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<Cow<'a, str>> {
        self.text_of_row().unwrap_or_else(|| self.text().map(Cow::Borrowed))
    }

    fn digits(&mut self) -> Result<Cow<'a, str>> {
        self.bytes().map(|bytes| Cow::Owned(base16ct::lower::encode_string(bytes)))
    }

    fn key(&mut self) -> Result<Key<'a>> {
        if self.major() == Some(MAJOR_TEXT) {
            return Ok(Key { text: self.string()?, is_bytes: Some(false) });
        }
        let text = Cow::Owned(base16ct::upper::encode_string(self.bytes()?));
        Ok(Key { text, is_bytes: Some(true) })
    }

    fn boolean(&mut self) -> Result<bool> {
        // Read the byte directly (RFC 8949 §3.3), because minicbor's function is larger.
        let value = match self.next() {
            Some(0xf4) => false,
            Some(0xf5) => true,
            _ => return Err(self.unexpected("CBOR true or false", self.decoder.position(), false)),
        };
        self.decoder.set_position(self.decoder.position() + 1);
        Ok(value)
    }

    fn unsigned(&mut self) -> Result<usize> {
        self.number("a CBOR unsigned integer")
    }

    fn end(&mut self) -> Result<()> {
        if self.next().is_none() { Ok(()) } else { Err(self.error("expected CBOR to end, got more")) }
    }

    #[cold]
    fn error(&self, what: &str) -> Error {
        let at = self.decoder.position();
        malformed(&format!("{}: {what} (at byte {at})", self.member))
    }
}
