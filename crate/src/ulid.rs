//! Annotation ids: monotonic ULIDs (<https://github.com/ulid/spec>).

pub use ulid::ULID_LEN as ULID_LENGTH;

/// A ULID, stored as text. Texts sort in the same order as the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ulid([u8; ULID_LENGTH]);

impl Ulid {
    /// Reads a ULID in the canonical form: 26 upper-case characters of Crockford's base 32.
    ///
    /// Refuses other forms that `ulid` reads (lower case, above 128 bits), because an id must have only one text.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Self::from(number_of(text)?);
        (id.as_str() == text).then_some(id)
    }

    /// Returns the ULID as a 128-bit number.
    pub fn number(&self) -> u128 {
        number_of(self.as_str()).unwrap_or_default().0
    }

    /// Makes a ULID from any 128-bit number.
    pub fn of_number(number: u128) -> Self {
        ulid::Ulid(number).into()
    }

    /// Returns the ULID as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Reads a ULID. Never inlined, because the code is long.
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

/// Makes ULIDs that always increase, even within one millisecond and after the clock steps back.
///
/// The caller supplies time and entropy, so the generator makes no system calls and tests are deterministic.
#[derive(Clone, Debug, Default)]
pub struct UlidGenerator {
    last: ulid::Ulid,
}

impl UlidGenerator {
    /// Returns the next id.
    ///
    /// In a new millisecond, the id contains the lower 80 bits of `entropy`. Within the same millisecond, and after
    /// the clock stepped back, it is the last id plus one, as specified. If the 80 bits overflow, the carry goes into
    /// the time, so that ids increase without waiting for the clock.
    pub fn next(&mut self, millis: u64, entropy: u128) -> Ulid {
        let fresh = ulid::Ulid::from_parts(millis, entropy);
        let is_later = fresh.timestamp_ms() > self.last.timestamp_ms();
        self.last = if is_later { fresh } else { self.last.increment().unwrap_or_else(|carried| carried) };
        self.last.into()
    }
}
