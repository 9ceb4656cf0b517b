//! Reference arithmetic for the field and the curve: 64-bit words, schoolbook products, textbook formulas.

use crate::constants::D;
use crate::field::Limbs;

/// The field's modulus p, lowest word first.
const P: [u64; 4] = [0xffff_ffff_ffff_ffed, u64::MAX, u64::MAX, 0x7fff_ffff_ffff_ffff];

/// A number below p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) [u64; 4]);

impl Number {
    pub(crate) const ZERO: Self = Self([0; 4]);

    /// Converts a 64-bit number, which is always below p.
    pub(crate) const fn small(number: u64) -> Self {
        Self([number, 0, 0, 0])
    }

    /// Returns the value of limbs in radix 2¹³.
    pub(crate) fn of_limbs(limbs: &[i64]) -> Self {
        limbs.iter().rev().fold(Self::ZERO, |sum, &limb| {
            let (size, shifted) = (Self::small(limb.unsigned_abs()), sum.shifted());
            if limb < 0 { shifted.minus(size) } else { shifted.plus(size) }
        })
    }

    pub(crate) fn of(limbs: &Limbs) -> Self {
        Self::of_limbs(&limbs.map(i64::from))
    }

    /// Multiplies by 2¹³. Bits above 2²⁵⁶ are multiplied by 38 and added.
    fn shifted(self) -> Self {
        let [a, b, c, d] = self.0;
        let above = 38 * (d >> 51);
        Self([a << 13, b << 13 | a >> 51, c << 13 | b >> 51, d << 13 | c >> 51])
            .reduced()
            .plus(Self::small(above))
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let (mut sum, mut carry) = ([0; 4], false);
        for (sum, (a, b)) in sum.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            let (once, first) = a.overflowing_add(b);
            let (twice, second) = once.overflowing_add(u64::from(carry));
            *sum = twice;
            carry = first || second;
        }
        Self(sum).reduced()
    }

    pub(crate) fn negated(self) -> Self {
        Self(subtract(P, self.0).0).reduced()
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let mut product = [0_u64; 8];
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in other.0.iter().enumerate() {
                let word = u128::from(a) * u128::from(b) + u128::from(product[i + j]) + carry;
                product[i + j] = word as u64;
                carry = word >> 64;
            }
            product[i + 4] = carry as u64;
        }
        let [a, b, c, d, high @ ..] = product;
        Self::folded([a, b, c, d], high)
    }

    /// Returns low + 2²⁵⁶·high = low + 38·high.
    fn folded(low: [u64; 4], high: [u64; 4]) -> Self {
        let (mut sum, mut carry) = ([0; 4], 0);
        for (sum, (low, high)) in sum.iter_mut().zip(low.into_iter().zip(high)) {
            let word = u128::from(low) + 38 * u128::from(high) + carry;
            *sum = word as u64;
            carry = word >> 64;
        }
        if carry == 0 { Self(sum).reduced() } else { Self::folded(sum, [carry as u64, 0, 0, 0]) }
    }

    /// Subtracts p until the number is below p. Two subtractions suffice, because the number is below 2²⁵⁶.
    fn reduced(mut self) -> Self {
        while let (less, false) = subtract(self.0, P) {
            self.0 = less;
        }
        self
    }

    pub(crate) fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_mut(8).zip(self.0) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// Returns the difference, and true if it is negative.
fn subtract(a: [u64; 4], b: [u64; 4]) -> ([u64; 4], bool) {
    let (mut difference, mut borrow) = ([0; 4], false);
    for (difference, (a, b)) in difference.iter_mut().zip(a.into_iter().zip(b)) {
        let (once, first) = a.overflowing_sub(b);
        let (twice, second) = once.overflowing_sub(u64::from(borrow));
        *difference = twice;
        borrow = first || second;
    }
    (difference, borrow)
}

/// Returns X, Y, T, Z of a sum: "add-2008-hwcd-3" of the Explicit-Formulas Database, for any numbers, on the curve or
/// not. Pass the second operand as Y−X, Y+X, 2d·T, 2·Z.
pub(crate) fn sum([x, y, t, z]: [Number; 4], other: [Number; 4]) -> [Number; 4] {
    let a = y.minus(x).times(other[0]);
    let b = y.plus(x).times(other[1]);
    let c = t.times(other[2]);
    let d = z.times(other[3]);
    let (e, f, g, h) = (b.minus(a), d.minus(c), d.plus(c), b.plus(a));
    [e.times(f), g.times(h), e.times(h), f.times(g)]
}

/// Returns X, Y, T, Z of a doubled point: "dbl-2008-hwcd" with a = −1.
pub(crate) fn double([x, y, _, z]: [Number; 4]) -> [Number; 4] {
    let (a, b) = (x.times(x), y.times(y));
    let c = z.times(z).plus(z.times(z));
    let d = a.negated();
    let e = x.plus(y).times(x.plus(y)).minus(a).minus(b);
    let g = d.plus(b);
    let (f, h) = (g.minus(c), d.minus(b));
    [e.times(f), g.times(h), e.times(h), f.times(g)]
}

pub(crate) fn d2() -> Number {
    Number::of(&D).plus(Number::of(&D))
}
