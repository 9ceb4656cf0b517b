//! Splits scalars into digits: of fixed width for the tables, in constant time, and sparse (NAF) for public scalars.

use zeroize::Zeroize as _;

pub(crate) const DIGIT_BITS: usize = 5;

/// Number of digits in a scalar. They have 51 · 5 = 255 bits, and scalars are below 2²⁵³.
pub(crate) const DIGITS: usize = 51;

/// Digits of a scalar in radix 32, from −16 to 15, lowest first. Wiped when dropped.
pub(crate) struct Digits([i8; DIGITS]);

impl Digits {
    /// Splits a little-endian scalar below 2²⁵³ into digits. No branch and no address depends on the scalar.
    ///
    /// Five bits plus the carry from the previous digit are 0 to 32. If they are 16 or more, the digit is 32 less,
    /// and one is carried. The last digit has three bits, so it carries nothing.
    #[inline(never)]
    pub(crate) fn new(scalar: &[u8; 32]) -> Self {
        let mut digits = [0; DIGITS];
        let mut carry = 0;
        for (at, digit) in digits.iter_mut().enumerate() {
            let value = (eight_bits(scalar, at * DIGIT_BITS) & 31) + carry;
            carry = (value + 16) >> DIGIT_BITS;
            *digit = (value - (carry << DIGIT_BITS)) as i8;
        }
        Self(digits)
    }

    /// Returns the digit with the weight 32 to the power of `at`.
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

/// Returns eight bits of a scalar, starting at the bit `from`. Bits from 256 on are zero.
#[inline(always)]
fn eight_bits(scalar: &[u8; 32], from: usize) -> i32 {
    let byte = |at: usize| if at < 32 { i32::from(scalar[at]) } else { 0 };
    ((byte(from / 8) | byte(from / 8 + 1) << 8) >> (from % 8)) & 255
}

/// Number of digits in a sparse form. Most digits are zero.
pub(crate) const PLACES: usize = 256;

/// Returns the sparse form of a public scalar below 2²⁵⁴, in variable time (NAF of width w: Hankerson,
/// Menezes, Vanstone, "Guide to Elliptic Curve Cryptography", algorithm 3.35). Every digit is 0, or odd
/// and below 2ʷ⁻¹ in size. At most one of w consecutive digits is nonzero, so about 256 / (w + 1) of all
/// digits are nonzero.
///
/// If w bits plus the carry are odd, they are 1 to 2ʷ − 1. From 2ʷ⁻¹ on, the digit is 2ʷ less, and one is
/// carried.
pub(crate) fn sparse(scalar: &[u8; 32], width: usize) -> [i8; PLACES] {
    let mut places = [0; PLACES];
    let (mut at, mut carry) = (0, 0);
    while at < PLACES {
        let value = (eight_bits(scalar, at) & ((1 << width) - 1)) + carry;
        if value % 2 == 0 {
            at += 1;
            continue;
        }
        carry = value >> (width - 1);
        places[at] = (value - (carry << width)) as i8;
        at += width;
    }
    places
}
