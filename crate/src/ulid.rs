//! Annotation ids: monotonic ULIDs (<https://github.com/ulid/spec>).

/// Length of a ULID in characters.
pub const ULID_LENGTH: usize = 26;

/// Crockford's base 32: digits in the order of their values, which is also that of their bytes.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The bits of a ULID below its milliseconds.
const RANDOM_BITS: u32 = 80;
const RANDOM: u128 = (1 << RANDOM_BITS) - 1;

/// A ULID, kept as the text that it is everywhere. The order of the texts is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ulid([u8; ULID_LENGTH]);

impl Ulid {
    /// The ULID of a number: 48 bits of milliseconds since 1970, most significant, and 80 random ones.
    pub fn of(mut number: u128) -> Self {
        let mut text = [0; ULID_LENGTH];
        for digit in text.iter_mut().rev() {
            *digit = DIGITS[(number % 32) as usize];
            number /= 32;
        }
        Self(text)
    }

    /// Reads a ULID in its one canonical spelling: 26 upper-case characters of Crockford's base 32.
    ///
    /// The alphabet's aliases (lower case, `I` and `L` for 1, `O` for 0) are refused: an id that can be spelled
    /// in two ways would be two ids to whoever compares text. So is what is above 128 bits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_letter = |byte: u8| byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'L' | b'O' | b'U');
        let is_digit = |byte: u8| byte.is_ascii_digit() || is_letter(byte);
        let is_canonical = text.bytes().all(is_digit) && text.bytes().next() <= Some(b'7');
        text.as_bytes().try_into().ok().filter(|_| is_canonical).map(Self)
    }

    /// The ULID as text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Makes ULIDs that always increase, also within one millisecond, and also when the clock steps back.
///
/// The caller supplies time and entropy, so the generator needs no system and tests need no luck.
#[derive(Clone, Debug, Default)]
pub struct UlidGenerator {
    last: u128,
}

impl UlidGenerator {
    /// The next id.
    ///
    /// In a new millisecond: `entropy`'s lower 80 bits, new ones. Within a millisecond, and after a clock
    /// that stepped back: the last id plus one, as the specification says. Where that would overflow the 80
    /// bits, the carry runs into the time, which keeps the order without waiting for the clock.
    pub fn next(&mut self, millis: u64, entropy: u128) -> Ulid {
        let fresh = u128::from(millis) << RANDOM_BITS | entropy & RANDOM;
        let is_later = fresh >> RANDOM_BITS > self.last >> RANDOM_BITS;
        self.last = if is_later { fresh } else { self.last.saturating_add(1) };
        Ulid::of(self.last)
    }
}
