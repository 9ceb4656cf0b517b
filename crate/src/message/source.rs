//! Defines the values that JSON and CBOR readers provide. JSON and CBOR encode the same members. The members and
//! their faults are defined only once, on top of this trait, so that a message has the same meaning in both.

use crate::{
    bundle::quote,
    digest::decode_hex,
    error::{Error, Result},
    merkle::Node,
};
use alloc::{borrow::Cow, format, vec::Vec};

/// An encoded message, which is read strictly in sequence.
///
/// Every method with a `Result` returns `MESSAGE_MALFORMED` if the next value has another type, or breaks the
/// encoding's rules.
pub(super) trait Source<'a> {
    /// Reads an object. Calls `member` with the name of each member, to read the value.
    fn object(&mut self, member: Member<'a, '_>) -> Result<()>;

    /// Reads a bundle of a batch. Calls `member` with the name of each member, to read the value.
    fn bundle(&mut self, member: Member<'a, '_>) -> Result<()> {
        self.object(member)
    }

    /// Reads an array. Calls `item` to read each item.
    fn array(&mut self, item: &mut dyn FnMut(&mut dyn Source<'a>) -> Result<()>) -> Result<()>;

    /// Returns true if the next value is an array. In CBOR this is always true, because inputs are always an array.
    fn is_array(&mut self) -> bool {
        true
    }

    fn string(&mut self) -> Result<Cow<'a, str>>;

    /// Reads bytes. Returns them as lower-case hexadecimal digits. From JSON, it returns any text unchecked.
    fn digits(&mut self) -> Result<Cow<'a, str>>;

    /// Reads a payload key, which is bytes or text.
    fn key(&mut self) -> Result<Key<'a>>;

    fn boolean(&mut self) -> Result<bool>;

    /// Reads an integer from 0 on. All valid integers are small, so a source may refuse 10⁹ and above.
    fn unsigned(&mut self) -> Result<usize>;

    /// Checks that nothing follows, except white space in JSON.
    fn end(&mut self) -> Result<()>;

    /// Makes a `MESSAGE_MALFORMED` error with the current position.
    fn error(&self, what: &str) -> Error;
}

/// Callback that reads the value of a named member. A type parameter would double the code of all readers.
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

    /// Reads a member into its slot. Refuses a duplicate member.
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

    /// Reads a hash: a leaf, a node or the root of a tree, or the id of a set.
    pub(super) fn node(&mut self) -> Result<Node> {
        let text = self.digits()?;
        let node = parse_hex(&text);
        node.ok_or_else(|| self.error(&format!("expected 64 lower-case digits, got {}", quote(&text))))
    }

    /// Reads a text member into its slot. Refuses a duplicate member.
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

/// A payload key, with its form in the message.
pub(super) struct Key<'a> {
    /// Text of the key. CBOR bytes are in upper-case digits. Text from JSON is not checked yet.
    pub(super) text: Cow<'a, str>,
    /// True for bytes, false for text. `None` in JSON, which does not distinguish them.
    pub(super) is_bytes: Option<bool>,
}

/// Decodes lower-case hexadecimal digits to exactly `LENGTH` bytes.
pub(super) fn parse_hex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    decode_hex(text, &mut bytes).then_some(bytes)
}
