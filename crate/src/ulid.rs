//! Annotation ids: monotonic ULIDs (<https://github.com/ulid/spec>).

pub use ulid::ULID_LEN as ULID_LENGTH;

/// A ULID, stored as the text that it is everywhere. The order of the texts is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ulid([u8; ULID_LENGTH]);

impl Ulid {
    /// Reads a ULID in its one canonical spelling: 26 upper-case characters of Crockford's base 32.
    ///
    /// The other spellings that `ulid` reads (lower case, more than 128 bits) are refused: an id that can be spelled in two
    /// ways would be two ids where text is compared.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Self::from(number_of(text)?);
        (id.as_str() == text).then_some(id)
    }

    /// Returns the number of 128 bits that it spells.
    pub fn number(&self) -> u128 {
        number_of(self.as_str()).unwrap_or_default().0
    }

    /// Makes the ULID of a number of 128 bits: each has one.
    pub fn of_number(number: u128) -> Self {
        ulid::Ulid(number).into()
    }

    /// The ULID as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Reads a ULID. It is in the code once, because it is long.
#[inline(never)]
fn number_of(text: &str) -> Option<ulid::Ulid> {
    ulid::Ulid::from_string(text).ok()
}

impl From<ulid::Ulid> for Ulid {
    #[inline(never)]
    fn from(id: ulid::Ulid) -> Self {
        let mut text = [0; ULID_LENGTH];
        id.array_to_str(&mut text);
        Self(text)
    }
}

/// Makes ULIDs that always increase, also within one millisecond, and also when the clock steps back.
///
/// The caller supplies time and entropy, so the generator needs no system and tests need no luck.
#[derive(Clone, Debug, Default)]
pub struct UlidGenerator {
    last: ulid::Ulid,
}

impl UlidGenerator {
    /// The next id.
    ///
    /// In a new millisecond: `entropy`'s lower 80 bits, new ones. Within a millisecond, and after a clock
    /// that stepped back: the last id plus one, as the specification says. Where that would overflow the 80
    /// bits, the carry runs into the time, which keeps the order without waiting for the clock.
    pub fn next(&mut self, millis: u64, entropy: u128) -> Ulid {
        let fresh = ulid::Ulid::from_parts(millis, entropy);
        let is_later = fresh.timestamp_ms() > self.last.timestamp_ms();
        self.last = if is_later { fresh } else { self.last.increment().unwrap_or_else(|carried| carried) };
        self.last.into()
    }
}
