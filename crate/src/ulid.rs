//! Annotation ids: monotonic ULIDs (<https://github.com/ulid/spec>).

use ulid::Ulid;

/// Length of a ULID's text in bytes.
pub const ULID_LENGTH: usize = ulid::ULID_LEN;

/// Makes ULIDs that always increase, also within one millisecond, and also when the clock steps back.
///
/// The caller supplies time and entropy, so the generator needs no system and tests need no luck.
#[derive(Clone, Debug)]
pub struct UlidGenerator {
    last: Ulid,
}

impl Default for UlidGenerator {
    fn default() -> Self {
        Self { last: Ulid::nil() }
    }
}

impl UlidGenerator {
    /// The next id.
    ///
    /// In a new millisecond: `entropy`'s lower 80 bits, new ones. Within a millisecond, and after a clock
    /// that stepped back: the last id plus one, as the specification says. Where that would overflow the 80
    /// bits, the carry runs into the time, which keeps the order without waiting for the clock.
    pub fn next(&mut self, millis: u64, entropy: u128) -> Ulid {
        let fresh = Ulid::from_parts(millis, entropy);
        self.last = if fresh.timestamp_ms() > self.last.timestamp_ms() {
            fresh
        } else {
            Ulid(self.last.0.saturating_add(1))
        };
        self.last
    }
}

/// Reads a ULID in its one canonical spelling: 26 upper-case characters of Crockford's base 32.
///
/// The alphabet's aliases (lower case, `I` and `L` for 1, `O` for 0) are refused: an id that can be spelled
/// in two ways would be two ids to whoever compares text.
pub fn parse_canonical(text: &str) -> Option<Ulid> {
    let id = Ulid::from_string(text).ok()?;
    (id.array_to_str(&mut [0; ULID_LENGTH]) == text).then_some(id)
}
