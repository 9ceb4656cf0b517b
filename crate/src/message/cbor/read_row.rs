//! Reads a bundle of a batch from a row. Members shared by several rows are in the first of these rows.

use super::{
    super::{
        source::{Member, Source as _},
        write::too_long,
    },
    reader::{MAJOR_TEXT, Reader},
};
use crate::{
    error::{Error, Result},
    limits::MAX_BATCH_MESSAGE,
    timestamp::{MAX_MICROS, format_micros, parse_micros},
    ulid::Ulid,
};
use alloc::{borrow::Cow, format};
use core::mem;
use minicbor::Decoder;

const MAJOR_BYTES: u8 = 2;
const MAJOR_ARRAY: u8 = 4;
const MAJOR_MAP: u8 = 5;
const MAJOR_SIMPLE: u8 = 7;

/// Lower bound of the bytes that an annotation has in JSON beyond its shared members in CBOR.
const MIN_ANNOTATION_BYTES: usize = 60;

impl<'a> Reader<'a> {
    /// Reads a row, and passes each member of the bundle to `member`.
    pub(super) fn row(&mut self, member: Member<'a, '_>) -> Result<()> {
        let items = self.length("CBOR array", Decoder::array)?;
        let members = self.members()?;
        self.rows.ids = 0;
        self.rows.id_at = Some(self.decoder.position());
        self.decoder.set_position(members);
        self.object(&mut |source, name| match name {
            "action" | "hash" | "host" | "layer" | "annotations" => member(source, name),
            _ => Err(source.unknown(name)),
        })?;
        let behind_ids = self.rows.id_at.unwrap_or_default();
        self.weigh(self.decoder.position() - members)?;
        self.decoder.set_position(behind_ids);
        let rest = items.saturating_sub(1 + self.rows.ids as u64);
        if !(2..=3).contains(&rest) {
            return Err(self.error("expected a row with an id for each annotation, timestamp and key"));
        }
        self.hand_over("timestamp", member)?;
        self.rows.id_at = None;
        self.hand_over("key", member)?;
        match (rest, self.major()) {
            (2, _) => Ok(()),
            (_, Some(MAJOR_ARRAY)) => self.hand_over("inputs", member),
            _ => self.hand_over("previousKey", member),
        }
    }

    #[inline(never)]
    fn hand_over(&mut self, name: &'static str, member: Member<'a, '_>) -> Result<()> {
        let outer = mem::replace(&mut self.member, name);
        member(self, name)?;
        self.member = outer;
        Ok(())
    }

    /// Reads the shared members of the row, or their number, and returns the position of the members in the message.
    /// Leaves the decoder at the ids of the row.
    fn members(&mut self) -> Result<usize> {
        let start = self.decoder.position();
        if self.major() == Some(MAJOR_MAP) {
            self.rows.places.push(start);
            self.skip()?;
            return Ok(start);
        }
        let number = self.number("CBOR map or its number")?;
        let known = self.rows.places.get(number).copied();
        known.ok_or_else(|| self.error("expected the number of an earlier map, got another number"))
    }

    /// Skips an item, including all items in it.
    fn skip(&mut self) -> Result<()> {
        let mut left = 1_u64;
        while left > 0 {
            left -= 1;
            match self.major() {
                Some(MAJOR_TEXT) => drop(self.text()?),
                Some(MAJOR_ARRAY) => left = left.saturating_add(self.length("CBOR array", Decoder::array)?),
                Some(MAJOR_MAP) => {
                    let pairs = self.length("CBOR map", Decoder::map)?;
                    left = left.saturating_add(pairs.saturating_mul(2));
                }
                Some(MAJOR_SIMPLE) => drop(self.boolean()?),
                _ => drop(self.number("members that rows share")?),
            }
        }
        Ok(())
    }

    /// Adds the minimum size of a row in JSON, which can be far larger than in CBOR. Refuses a message whose
    /// total exceeds the limit.
    fn weigh(&mut self, members: usize) -> Result<()> {
        self.rows.least += members + MIN_ANNOTATION_BYTES * self.rows.ids;
        if self.rows.least > MAX_BATCH_MESSAGE { Err(too_long()) } else { Ok(()) }
    }

    /// Passes on the id of the annotation after its other members were read. Does nothing in a message without rows.
    pub(super) fn id_of_row(&mut self, member: Member<'a, '_>) -> Result<()> {
        let Some(at) = self.rows.id_at else { return Ok(()) };
        let behind = self.decoder.position();
        self.decoder.set_position(at);
        self.hand_over("id", member)?;
        self.rows.ids += 1;
        self.rows.id_at = Some(self.decoder.position());
        self.decoder.set_position(behind);
        Ok(())
    }

    /// Reads a timestamp or an id that may be encoded as a difference. Returns `None` for other members, and
    /// in a message without rows.
    pub(super) fn text_of_row(&mut self) -> Option<Result<Cow<'a, str>>> {
        self.rows.id_at?;
        match self.member {
            "timestamp" => Some(self.time()),
            "id" => Some(self.id()),
            _ => None,
        }
    }

    fn time(&mut self) -> Result<Cow<'a, str>> {
        if self.major() == Some(MAJOR_TEXT) {
            let text = self.text()?;
            self.rows.last.micros = parse_micros(text);
            return Ok(Cow::Borrowed(text));
        }
        let difference = self.number("CBOR text or an unsigned integer")?;
        let micros = self.rows.last.micros.and_then(|last| last.checked_add(difference as u64));
        self.rows.last.micros = micros.filter(|micros| *micros <= MAX_MICROS);
        let text = self.rows.last.micros.map(|micros| Cow::Owned(format_micros(micros)));
        text.ok_or_else(|| self.no_difference("a whole timestamp, or a difference that gives one"))
    }

    fn id(&mut self) -> Result<Cow<'a, str>> {
        self.rows.last.id = if self.major() == Some(MAJOR_BYTES) {
            self.bytes()?.try_into().ok().map(u128::from_be_bytes)
        } else {
            let difference = self.number("16 CBOR bytes or an unsigned integer")?;
            self.rows.last.id.and_then(|last| last.checked_add(difference as u128))
        };
        let text = self.rows.last.id.map(|id| Cow::Owned(Ulid::of_number(id).as_str().into()));
        text.ok_or_else(|| self.no_difference("16 bytes, or a difference that gives an id"))
    }

    #[cold]
    fn no_difference(&self, expected: &str) -> Error {
        self.error(&format!("expected {expected}, got another one"))
    }
}
