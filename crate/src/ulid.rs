//! Annotation ids: monotonic ULIDs (<https://github.com/ulid/spec>).

pub use ulid::ULID_LEN as ULID_LENGTH;

/// A ULID, stored as text. Texts sort as their numbers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ulid([u8; ULID_LENGTH]);

impl Ulid {
    /// Reads a ULID in its one canonical spelling: 26 upper-case characters of Crockford's base 32.
    ///
    /// Refuses the other spellings that `ulid` reads (lower case, more than 128 bits). An id with two spellings would
    /// be two ids wherever text is compared.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Self::from(ulid::Ulid::from_string(text).ok()?);
        (id.as_str() == text).then_some(id)
    }

    /// Returns the ULID as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl From<ulid::Ulid> for Ulid {
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
    /// In a new millisecond it contains the lower 80 bits of `entropy`. Within a millisecond, and after a clock that stepped
    /// back, it is the last id plus one, by the specification. If that overflows the 80 bits, the carry goes into the time:
    /// the order holds without waiting for the clock.
    pub fn next(&mut self, millis: u64, entropy: u128) -> Ulid {
        let fresh = ulid::Ulid::from_parts(millis, entropy);
        let is_later = fresh.timestamp_ms() > self.last.timestamp_ms();
        self.last = if is_later { fresh } else { self.last.increment().unwrap_or_else(|carried| carried) };
        self.last.into()
    }
}
