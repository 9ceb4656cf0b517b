//! A strict reader of JSON (RFC 8259) for messages whose members are known.
//!
//! It borrows what it reads, stops at the first byte that is out of place, and refuses what readers are
//! known to disagree about: members given twice, lone surrogates, control characters inside strings. A
//! general JSON library does the same at twice the size of all the rest of this crate (its numbers, its
//! error texts), which every page that loads the module would pay; the tests compare this reader with one.

mod strings;

use crate::{
    bundle::quote,
    error::{Code, Error, Result},
};
use alloc::{borrow::ToOwned as _, format, vec::Vec};

/// Deepest nesting of arrays and objects that is skipped over.
const MAX_DEPTH: usize = 16;

/// Reads a JSON text from front to back.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes`.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when they are not UTF-8.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let text = core::str::from_utf8(bytes).map_err(|error| {
            Code::MessageMalformed
                .error(format!("message: expected UTF-8, got another byte at {}", error.valid_up_to()))
        })?;
        Ok(Self { text, at: 0 })
    }

    /// Reads `{…}`, handing every member's name to `member`, which reads its value.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when this is no object, or by `member`.
    pub fn object(&mut self, member: &mut dyn FnMut(&mut Self, &str) -> Result<()>) -> Result<()> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let name = self.string()?;
            self.expect(b':')?;
            member(self, &name)?;
            if self.take(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads `[…]`, calling `item` to read each item.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when this is no array, or by `item`.
    pub fn array(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.take(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads an array of at most so many items.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when there are more, this is no array, or by `item`.
    pub fn list<T>(
        &mut self,
        name: &str,
        most: usize,
        item: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.array(&mut |reader| {
            if items.len() == most {
                return Err(reader.too_many(name, most));
            }
            items.push(item(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when this is neither.
    pub fn boolean(&mut self) -> Result<bool> {
        self.skip_space();
        for (word, value) in [("true", true), ("false", false)] {
            if self.take_word(word) {
                return Ok(value);
            }
        }
        Err(self.out_of_place("true or false"))
    }

    /// Reads a whole number below 10⁹, without sign, fraction, exponent or leading zeros.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when this is none.
    pub fn unsigned(&mut self) -> Result<usize> {
        self.skip_space();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=9).contains(&digits) || digits > 1 && self.peek() == Some(b'0') {
            return Err(self.out_of_place("a whole number"));
        }
        let number =
            self.rest().bytes().take(digits).fold(0, |sum, digit| 10 * sum + usize::from(digit - b'0'));
        self.at += digits;
        Ok(number)
    }

    /// Fills the slot of a member that may be given once.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when the slot is full already, or by `read`.
    pub fn once<T>(
        &mut self,
        name: &str,
        slot: &mut Option<T>,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<()> {
        if slot.is_some() {
            return Err(self.repeated(name));
        }
        *slot = Some(read(self)?);
        Ok(())
    }

    /// Steps over any value and returns a reader of just that.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when there is no value, or one nested too deeply.
    pub fn skip(&mut self) -> Result<Reader<'a>> {
        self.skip_space();
        let start = self.at;
        self.skip_value(MAX_DEPTH)?;
        Ok(Reader { text: self.text.get(..self.at).unwrap_or_default(), at: start })
    }

    fn skip_value(&mut self, depth: usize) -> Result<()> {
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if depth == 0 => Err(self.out_of_place("no deeper nesting")),
            Some(b'{') => self.object(&mut |reader, _| reader.skip_value(depth - 1)),
            Some(b'[') => self.array(&mut |reader| reader.skip_value(depth - 1)),
            Some(b'"') => self.string().map(drop),
            _ => self.skip_word(),
        }
    }

    /// Numbers and `null` mean nothing in any message, so only their extent matters.
    fn skip_word(&mut self) -> Result<()> {
        let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let length = self.rest().bytes().take_while(|&b| is_word(b)).count();
        self.at += length;
        if length > 0 { Ok(()) } else { Err(self.out_of_place("a value")) }
    }

    #[cold]
    fn too_many(&self, name: &str, most: usize) -> Error {
        self.error(&format!("{name}: expected at most {most}, got more"))
    }

    #[cold]
    fn repeated(&self, name: &str) -> Error {
        self.error(&format!("{name}: expected once, got a second one"))
    }

    /// The error for a member that the format does not have.
    #[cold]
    pub fn unknown(&self, name: &str) -> Error {
        self.error(&format!("expected no other members, got {}", quote(name)))
    }

    /// Makes sure that nothing follows.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` when something does.
    pub fn end(&mut self) -> Result<()> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.out_of_place("the end")) }
    }

    /// What has not been read yet.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        if self.peek() != Some(byte) {
            self.skip_space();
        }
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        self.at += if there { word.len() } else { 0 };
        there
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) {
            return Ok(());
        }
        Err(self.out_of_place(&format!("'{}'", char::from(byte))))
    }

    #[cold]
    fn out_of_place(&self, expected: &str) -> Error {
        let got =
            self.rest().chars().next().map_or("the end".to_owned(), |c| quote(c.encode_utf8(&mut [0; 4])));
        self.error(&format!("expected {expected}, got {got}"))
    }

    #[cold]
    fn error(&self, what: &str) -> Error {
        Code::MessageMalformed.error(format!("message: {what} (at byte {})", self.at))
    }
}
