//! Sources of messages. JSON and CBOR differ in spelling. The members and their faults are defined once, above this
//! trait, so that a message has one meaning.

use crate::{
    bundle::quote,
    digest::decode_hex,
    error::{Error, Result},
    merkle::Node,
};
use alloc::{borrow::Cow, format, vec::Vec};

/// An encoded text, read strictly from front to back.
///
/// Every method fails with `MESSAGE_MALFORMED` if the next value has another type, or breaks the encoding's rules.
pub(super) trait Source<'a> {
    /// Reads an object. Calls `member` with every member's name to read its value.
    fn object(&mut self, member: Member<'a, '_>) -> Result<()>;

    /// Reads a bundle of a batch. Calls `member` with every member's name to read its value.
    fn bundle(&mut self, member: Member<'a, '_>) -> Result<()> {
        self.object(member)
    }

    /// Reads an array. Calls `item` to read each item.
    fn array(&mut self, item: &mut dyn FnMut(&mut dyn Source<'a>) -> Result<()>) -> Result<()>;

    /// Returns whether an array comes next. In CBOR it always does: inputs have no other form there.
    fn is_array(&mut self) -> bool {
        true
    }

    /// Reads a text.
    fn string(&mut self) -> Result<Cow<'a, str>>;

    /// Reads bytes as lower-case hexadecimal digits, which JSON has in their place.
    fn digits(&mut self) -> Result<Cow<'a, str>>;

    /// Reads a payload key: bytes or text.
    fn key(&mut self) -> Result<Key<'a>>;

    /// Reads a boolean.
    fn boolean(&mut self) -> Result<bool>;

    /// Reads a whole number from 0 on. Ours are small: a source may refuse 10⁹ and above.
    fn unsigned(&mut self) -> Result<usize>;

    /// Checks that nothing follows.
    fn end(&mut self) -> Result<()>;

    /// Returns `MESSAGE_MALFORMED` with the position.
    fn error(&self, what: &str) -> Error;
}

/// Callback that reads the member of a name. A type parameter would double the code of all readers.
pub(super) type Member<'a, 'f> = &'f mut dyn FnMut(&mut dyn Source<'a>, &str) -> Result<()>;

impl<'a> dyn Source<'a> + '_ {
    /// Reads an array of at most `most` items.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        most: usize,
        item: impl Fn(&mut dyn Source<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.array(&mut |source| {
            if items.len() == most {
                return Err(source.error(&format!("{name}: expected at most {most}, got more")));
            }
            items.push(item(source)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// Reads a member into its slot. The member may be given once.
    pub(super) fn once<T>(
        &mut self,
        name: &str,
        slot: &mut Option<T>,
        read: impl FnOnce(&mut dyn Source<'a>) -> Result<T>,
    ) -> Result<()> {
        if slot.is_some() {
            return Err(self.repeated(name));
        }
        *slot = Some(read(self)?);
        Ok(())
    }

    /// Reads a hash of a tree, or of one of its leaves.
    pub(super) fn node(&mut self) -> Result<Node> {
        let text = self.digits()?;
        let node = parse_hex(&text);
        node.ok_or_else(|| self.error(&format!("expected 64 lower-case digits, got {}", quote(&text))))
    }

    /// Reads a text member into its slot. The member may be given once.
    pub(super) fn text(&mut self, name: &str, slot: &mut Option<Cow<'a, str>>) -> Result<()> {
        self.once(name, slot, |source| source.string())
    }

    #[cold]
    fn repeated(&self, name: &str) -> Error {
        self.error(&format!("{name}: expected once, got twice"))
    }

    /// Returns the error for a member that the format does not have.
    #[cold]
    pub(super) fn unknown(&self, name: &str) -> Error {
        self.error(&format!("expected no other members, got {}", quote(name)))
    }
}

/// A payload key, and its form in the message.
pub(super) struct Key<'a> {
    /// Text of the key; a digest in upper-case digits.
    pub(super) text: Cow<'a, str>,
    /// True for bytes, false for text; none in an encoding without that difference.
    pub(super) is_bytes: Option<bool>,
}

/// Decodes exactly twice as many lower-case digits.
pub(super) fn parse_hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    decode_hex(text, &mut bytes).then_some(bytes)
}
