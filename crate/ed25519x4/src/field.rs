//! Arithmetic on four elements of the field of integers modulo p = 2²⁵⁵ − 19, one in each lane.
//!
//! # Representation
//! An element is 20 signed limbs of radix 2¹³: a₀ + a₁·2¹³ + … + a₁₉·2²⁴⁷. Two limbs, a₂ⱼ and a₂ⱼ₊₁, are the halves
//! of one 32-bit lane, so ten vectors hold four elements. Radix 2¹³ suits the instruction `i32x4.dot_i16x8`, which
//! adds two products of 16-bit numbers in each lane: the sum of twenty products of 13-bit numbers still fits in 32
//! bits. A number has many representations. Only [`Field4::freeze`] computes the one below p.
//!
//! # Bounds
//! Let L = 4096 + 4. A *reduced* element has limbs in [−L, L]. Every product is reduced (the proof is
//! `tests::bounds`, which runs the code below on intervals). Sums are not reduced: a sum of n elements is *n-fold*,
//! with limbs up to n·L. A product accepts an m-fold and an n-fold element if m·n ≤ 6 and m, n ≤ 7. The point
//! formulas ([`crate::point`]) need at most 2-fold times 3-fold.

use crate::lanes::{LANES, LIMB_BITS, LIMB_MASK, Native, Pairs};
use core::array::from_fn;
use core::ops::{Add, Sub};

/// Number of limbs in an element.
pub(crate) const LIMBS: usize = 20;

/// Number of vectors for the limbs of four elements.
pub(crate) const VECTORS: usize = LIMBS / 2;

pub(crate) type Limbs = [i16; LIMBS];

/// Four field elements, one in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Field4<P = Native>(pub(crate) [P; VECTORS]);

impl<P: Pairs> Field4<P> {
    /// Makes the elements of the lanes from their limbs.
    pub(crate) fn new(elements: &[Limbs; LANES]) -> Self {
        Self(from_fn(|at| P::new(elements.map(|limbs| [limbs[2 * at], limbs[2 * at + 1]]))))
    }

    /// Puts the same element in every lane.
    pub(crate) fn splat(element: &Limbs) -> Self {
        Self::new(&[*element; LANES])
    }

    /// Puts a little-endian number of 255 bits in every lane. Ignores the 256th bit.
    #[inline(never)]
    pub(crate) fn of_bytes(bytes: &[u8; 32]) -> Self {
        Self::splat(&limbs_of(bytes))
    }

    /// Puts a small number in each lane.
    pub(crate) fn small(numbers: [i16; LANES]) -> Self {
        let zero = P::new([[0; 2]; LANES]);
        Self([
            P::new(numbers.map(|number| [number, 0])),
            zero,
            zero,
            zero,
            zero,
            zero,
            zero,
            zero,
            zero,
            zero,
        ])
    }

    /// Selects four lanes from two operands: 0 to 3 are lanes of `self`, 4 to 7 of `other`.
    #[inline(always)]
    pub(crate) fn lanes_of<const A: usize, const B: usize, const C: usize, const D: usize>(
        &self,
        other: &Self,
    ) -> Self {
        self.zip(other, |a, b| a.lanes::<A, B, C, D>(b))
    }

    #[inline(always)]
    pub(crate) fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(&self) -> Self {
        self.lanes_of::<A, B, C, D>(self)
    }

    /// Multiplies each lane by a small constant: 0, 1, −1 or 2. The bound of the limbs is multiplied, too.
    #[inline(always)]
    pub(crate) fn scaled(&self, factors: [i16; LANES]) -> Self {
        self.map(|pairs| pairs.scaled(factors))
    }

    /// Applies an operation to every vector, unrolled by hand, because the compiler does not unroll this loop.
    #[inline(always)]
    pub(crate) fn map(&self, f: impl Fn(P) -> P) -> Self {
        let a = &self.0;
        Self([f(a[0]), f(a[1]), f(a[2]), f(a[3]), f(a[4]), f(a[5]), f(a[6]), f(a[7]), f(a[8]), f(a[9])])
    }

    /// Applies an operation to each pair of vectors.
    #[inline(always)]
    pub(crate) fn zip(&self, other: &Self, f: impl Fn(P, P) -> P) -> Self {
        let (a, b) = (&self.0, &other.0);
        Self([
            f(a[0], b[0]),
            f(a[1], b[1]),
            f(a[2], b[2]),
            f(a[3], b[3]),
            f(a[4], b[4]),
            f(a[5], b[5]),
            f(a[6], b[6]),
            f(a[7], b[7]),
            f(a[8], b[8]),
            f(a[9], b[9]),
        ])
    }

    /// Overwrites secrets. The barrier prevents the compiler from removing a write that is never read.
    pub(crate) fn wipe(elements: &mut [Self]) {
        elements.fill(Self::small([0; LANES]));
        core::hint::black_box(elements);
    }

    #[inline(always)]
    pub(crate) fn square(&self) -> Self {
        self.times(self)
    }
}

impl<P: Pairs> Add for Field4<P> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(&other, |a, b| a + b)
    }
}

impl<P: Pairs> Sub for Field4<P> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(&other, |a, b| a - b)
    }
}

/// Returns the limbs of a number below 2¹².
pub(crate) const fn small(number: i16) -> Limbs {
    let mut limbs = [0; LIMBS];
    limbs[0] = number;
    limbs
}

/// Returns the reduced limbs of the low 255 bits of a little-endian number: −4096 to 4095, the last 0 to 256.
pub(crate) const fn limbs_of(bytes: &[u8; 32]) -> Limbs {
    let mut limbs = [0; LIMBS];
    let (mut at, mut carry) = (0, 0);
    while at < LIMBS {
        let mut limb = window(bytes, at) + carry;
        carry = (limb + (1 << (LIMB_BITS - 1))) >> LIMB_BITS;
        if at == LIMBS - 1 {
            carry = 0;
        }
        limb -= carry << LIMB_BITS;
        limbs[at] = limb as i16;
        at += 1;
    }
    limbs
}

/// Returns 13 bits of a number, starting at the bit 13·`at`. The last window has the 8 bits below 2²⁵⁵.
const fn window(bytes: &[u8; 32], at: usize) -> i32 {
    let (byte, shift) = (at * LIMB_BITS as usize / 8, at * LIMB_BITS as usize % 8);
    let mut word = bytes[byte] as i32;
    if byte + 1 < 32 {
        word |= (bytes[byte + 1] as i32) << 8;
    }
    if byte + 2 < 32 {
        word |= (bytes[byte + 2] as i32) << 16;
    }
    let mask = if at == LIMBS - 1 { 0xff } else { LIMB_MASK };
    (word >> shift) & mask
}
