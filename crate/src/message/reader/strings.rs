//! Reads JSON strings and their escapes (RFC 8259 §7).

use super::{super::plain::plain_length, Reader};
use crate::error::Result;
use alloc::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads a string. The result is borrowed unless the string has escapes.
    ///
    /// # Errors
    /// `MESSAGE_MALFORMED` for an invalid string, and for a string that is not Unicode text.
    pub(super) fn text(&mut self) -> Result<Cow<'a, str>> {
        self.expect(b'"')?;
        let rest = self.rest();
        let plain = plain_length(rest.as_bytes());
        match rest.split_at_checked(plain) {
            Some((text, others)) if others.starts_with('"') => {
                self.at += plain + 1;
                Ok(Cow::Borrowed(text))
            }
            _ => self.escaped(),
        }
    }

    /// Reads the rest of a string that has escapes or is invalid.
    #[cold]
    fn escaped(&mut self) -> Result<Cow<'a, str>> {
        let mut text = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let plain = plain_length(rest.as_bytes());
            let Some((start, others)) = rest.split_at_checked(plain) else { break };
            let Some(special) = others.bytes().next() else { break };
            if text.is_empty() {
                text = Cow::Borrowed(start);
            } else {
                text.to_mut().push_str(start);
            }
            self.at += plain;
            match special {
                b'"' => {
                    self.at += 1;
                    return Ok(text);
                }
                b'\\' => text.to_mut().push(self.escape()?),
                _ => return Err(self.out_of_place("no control character in a string")),
            }
        }
        Err(self.out_of_place("the end of a string"))
    }

    fn escape(&mut self) -> Result<char> {
        let escaped = self.text.as_bytes().get(self.at + 1).copied();
        self.at += 2;
        match escaped {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode_escape(),
            _ => {
                self.at -= 2;
                Err(self.out_of_place("an escape that JSON knows"))
            }
        }
    }

    /// Reads `\uXXXX`, or two such escapes that form a surrogate pair.
    fn unicode_escape(&mut self) -> Result<char> {
        let first = self.four_digits()?;
        let code = if (0xD800..0xDC00).contains(&first) && self.take_word("\\u") {
            match self.four_digits()? {
                second @ 0xDC00..0xE000 => 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                _ => first,
            }
        } else {
            first
        };
        // Refuse lone surrogates: `char` has none.
        char::from_u32(code).ok_or_else(|| self.out_of_place("a surrogate pair before this"))
    }

    fn four_digits(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.out_of_place("four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}
