//! What messages are read from. JSON and CBOR differ in how things are spelt; which members there are, and what is
//! wrong with them, stands once, above this trait: one message has one meaning.

use crate::{
    bundle::quote,
    digest::decode_hex,
    error::{Error, Result},
    merkle::Node,
};
use alloc::{borrow::Cow, format, vec::Vec};

/// A text in some encoding, read strictly from front to back. Every method fails with `MESSAGE_MALFORMED` when something
/// else is there than what it reads, or the encoding's rules are broken.
pub(super) trait Source<'a> {
    /// Reads an object, handing every member's name to `member`, which reads its value.
    fn object(&mut self, member: Member<'a, '_>) -> Result<()>;

    /// Reads a bundle of a batch, handing every member's name to `member`, which reads its value.
    fn bundle(&mut self, member: Member<'a, '_>) -> Result<()> {
        self.object(member)
    }

    /// Reads an array, calling `item` to read each item.
    fn array(&mut self, item: &mut dyn FnMut(&mut dyn Source<'a>) -> Result<()>) -> Result<()>;

    /// Whether an array comes next. It does in CBOR, which has no other form of what may also be an object.
    fn is_array(&mut self) -> bool {
        true
    }

    /// Reads a text.
    fn string(&mut self) -> Result<Cow<'a, str>>;

    /// Reads bytes, as lower-case digits: what JSON has in their place.
    fn digits(&mut self) -> Result<Cow<'a, str>>;

    /// Reads a payload's key: bytes or text.
    fn key(&mut self) -> Result<Key<'a>>;

    /// Reads a yes or no.
    fn boolean(&mut self) -> Result<bool>;

    /// Reads a whole number, not below 0. All of ours are small; those from 10⁹ upwards may be refused.
    fn unsigned(&mut self) -> Result<usize>;

    /// Makes sure that nothing follows.
    fn end(&mut self) -> Result<()>;

    /// `MESSAGE_MALFORMED`, and where.
    fn error(&self, what: &str) -> Error;
}

/// Reads the member of that name. Not a type parameter: there would be two copies of all that is read.
pub(super) type Member<'a, 'f> = &'f mut dyn FnMut(&mut dyn Source<'a>, &str) -> Result<()>;

impl<'a> dyn Source<'a> + '_ {
    /// Reads an array of at most so many items.
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

    /// Fills the slot of a member that may be given once.
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

    /// Reads a hash of a tree, or of what is in one.
    pub(super) fn node(&mut self) -> Result<Node> {
        let text = self.digits()?;
        let node = parse_hex(&text);
        node.ok_or_else(|| self.error(&format!("expected 64 lower-case digits, got {}", quote(&text))))
    }

    /// The same for a text.
    pub(super) fn text(&mut self, name: &str, slot: &mut Option<Cow<'a, str>>) -> Result<()> {
        self.once(name, slot, |source| source.string())
    }

    #[cold]
    fn repeated(&self, name: &str) -> Error {
        self.error(&format!("{name}: expected once, got a second one"))
    }

    /// The error for a member that the format does not have.
    #[cold]
    pub(super) fn unknown(&self, name: &str) -> Error {
        self.error(&format!("expected no other members, got {}", quote(name)))
    }
}

/// A payload's key, and how it stands there.
pub(super) struct Key<'a> {
    /// The key; a digest in upper-case digits.
    pub(super) text: Cow<'a, str>,
    /// Whether it is bytes, where the encoding tells bytes from texts.
    pub(super) is_bytes: Option<bool>,
}

/// Bytes out of exactly twice as many lower-case digits.
pub(super) fn parse_hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    decode_hex(text, &mut bytes).then_some(bytes)
}
