//! Scalars as digits: of fixed width for the tables, in constant time, and sparse ones (NAF) for public numbers.

use zeroize::Zeroize as _;

/// How many bits a digit has.
pub(crate) const DIGIT_BITS: usize = 5;

/// How many digits a scalar has: 51 times five are 255 bits, and scalars stay below 2²⁵³.
pub(crate) const DIGITS: usize = 51;

/// The digits of a scalar in radix 32, −16 to 15, the lowest first. Wiped when dropped.
pub(crate) struct Digits([i8; DIGITS]);

impl Digits {
    /// Of a scalar below 2²⁵⁴, little-endian. No branch, no address depends on it.
    ///
    /// Five bits with the carry from below are 0 to 32. From 16 on the digit is 32 less, and one is carried. The last digit
    /// has three bits, so it carries nothing.
    #[inline(never)]
    pub(crate) fn new(scalar: &[u8; 32]) -> Self {
        let mut digits = [0; DIGITS];
        let mut carry = 0;
        for (at, digit) in digits.iter_mut().enumerate() {
            let value = five_bits(scalar, at * DIGIT_BITS) + carry;
            carry = (value + 16) >> DIGIT_BITS;
            *digit = (value - (carry << DIGIT_BITS)) as i8;
        }
        Self(digits)
    }

    /// The digit at 32 to the power of `at`.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> i32 {
        self.0[at].into()
    }
}

impl Drop for Digits {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Five bits from one on; above the 256th all are zero.
#[inline(always)]
fn five_bits(scalar: &[u8; 32], from: usize) -> i32 {
    let byte = |at: usize| if at < 32 { i32::from(scalar[at]) } else { 0 };
    ((byte(from / 8) | byte(from / 8 + 1) << 8) >> (from % 8)) & 31
}

/// How many places a sparse form has.
pub(crate) const PLACES: usize = 256;

/// The sparse form of a public scalar below 2²⁵⁴ (NAF of width 5: Hankerson, Menezes, Vanstone, algorithm 3.35): every
/// place holds 0 or an odd digit from −15 to 15, and of five places in a row four or five are 0. In variable time.
pub(crate) fn sparse(scalar: &[u8; 32]) -> [i8; PLACES] {
    let mut places = [0; PLACES];
    let (mut at, mut carry) = (0, 0);
    while at < PLACES {
        let value = five_bits(scalar, at) + carry;
        if value % 2 == 0 {
            at += 1;
            continue;
        }
        carry = value >> 4;
        places[at] = (value - (carry << DIGIT_BITS)) as i8;
        at += DIGIT_BITS;
    }
    places
}
