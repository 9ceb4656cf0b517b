//! A strict reader of JSON (RFC 8259) for messages with known members.
//!
//! The reader borrows the text, stops at the first invalid byte, and refuses texts on which readers are known
//! to disagree: lone surrogates, control characters inside strings. `source` refuses duplicate members. A
//! general JSON library can do the same, but is twice as large as the rest of this crate, and every page
//! would load it. Tests compare the two.

mod strings;

use super::{
    faults::malformed,
    source::{Key, Member, Source},
};
use crate::{
    bundle::quote,
    error::{Error, Result},
};
use alloc::{
    borrow::{Cow, ToOwned as _},
    format,
};

/// Reads a JSON text from its beginning to its end, value by value.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Makes a reader at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let text = core::str::from_utf8(bytes).map_err(|error| {
            malformed(&format!("expected UTF-8, got another byte at {}", error.valid_up_to()))
        })?;
        Ok(Self { text, at: 0 })
    }

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
}

impl<'a> Source<'a> for Reader<'a> {
    fn object(&mut self, member: Member<'a, '_>) -> Result<()> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let name = self.text()?;
            self.expect(b':')?;
            member(self, &name)?;
            if self.take(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    fn array(&mut self, item: &mut dyn FnMut(&mut dyn Source<'a>) -> Result<()>) -> Result<()> {
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

    fn is_array(&mut self) -> bool {
        self.skip_space();
        self.peek() == Some(b'[')
    }

    fn string(&mut self) -> Result<Cow<'a, str>> {
        self.text()
    }

    fn digits(&mut self) -> Result<Cow<'a, str>> {
        self.text()
    }

    fn key(&mut self) -> Result<Key<'a>> {
        Ok(Key { text: self.text()?, is_bytes: None })
    }

    fn boolean(&mut self) -> Result<bool> {
        self.skip_space();
        for (word, value) in [("true", true), ("false", false)] {
            if self.take_word(word) {
                return Ok(value);
            }
        }
        Err(self.out_of_place("true or false"))
    }

    /// Reads an integer from 0 to 10⁹ − 1, without sign, fraction, exponent or leading zeros.
    fn unsigned(&mut self) -> Result<usize> {
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

    fn end(&mut self) -> Result<()> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.out_of_place("the end")) }
    }

    #[cold]
    fn error(&self, what: &str) -> Error {
        malformed(&format!("{what} (at byte {})", self.at))
    }
}
