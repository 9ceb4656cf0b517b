//! Lanes as arrays, for native tests. Overflow panics if overflow checks are on, except in `pair_with`.

use super::{LANES, LIMB_BITS, LIMB_MASK, Pairs, Words};
use core::array::from_fn;
use core::ops::{Add, Sub};

#[derive(Clone, Copy)]
pub(crate) struct PortableWords([i32; LANES]);

#[derive(Clone, Copy)]
pub(crate) struct PortablePairs([[i16; 2]; LANES]);

impl Words for PortableWords {
    type Pairs = PortablePairs;

    #[inline(always)]
    fn splat(number: i32) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    fn to_array(self) -> [i32; LANES] {
        self.0
    }

    #[inline(always)]
    fn carry(self) -> Self {
        Self(self.0.map(|word| word >> LIMB_BITS))
    }

    #[inline(always)]
    fn rest(self) -> Self {
        Self(self.0.map(|word| word & LIMB_MASK))
    }

    #[inline(always)]
    fn shift_8(self) -> Self {
        Self(self.0.map(|word| word >> 8))
    }

    #[inline(always)]
    fn low_8(self) -> Self {
        Self(self.0.map(|word| word & 255))
    }

    #[inline(always)]
    fn times(self, factor: i32) -> Self {
        Self(self.0.map(|word| word * factor))
    }

    #[inline(always)]
    fn short_times(self, factor: i16) -> Self {
        self.times(factor.into())
    }

    #[inline(always)]
    fn pair_with(self, high: Self) -> PortablePairs {
        PortablePairs(from_fn(|lane| [self.0[lane] as i16, high.0[lane] as i16]))
    }
}

impl Pairs for PortablePairs {
    type Words = PortableWords;
    type Mask = bool;

    #[inline(always)]
    fn new(pairs: [[i16; 2]; LANES]) -> Self {
        Self(pairs)
    }

    #[inline(always)]
    fn low(self) -> PortableWords {
        PortableWords(self.0.map(|[low, _]| low.into()))
    }

    #[inline(always)]
    fn high(self) -> PortableWords {
        PortableWords(self.0.map(|[_, high]| high.into()))
    }

    #[inline(always)]
    fn dot(self, other: Self) -> PortableWords {
        let product =
            |lane: usize, half: usize| i32::from(self.0[lane][half]) * i32::from(other.0[lane][half]);
        PortableWords(from_fn(|lane| product(lane, 0) + product(lane, 1)))
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Self(self.0.map(|[low, high]| [high, low]))
    }

    #[inline(always)]
    fn low_with_high_of(self, other: Self) -> Self {
        Self(from_fn(|lane| [self.0[lane][0], other.0[lane][1]]))
    }

    #[inline(always)]
    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(self, other: Self) -> Self {
        Self([A, B, C, D].map(|lane| if lane < LANES { self.0[lane] } else { other.0[lane - LANES] }))
    }

    #[inline(always)]
    fn scaled(self, factors: [i16; LANES]) -> Self {
        Self(from_fn(|lane| self.0[lane].map(|half| half * factors[lane])))
    }

    #[inline(always)]
    fn if_equal(secret: PortableWords, known: i32) -> bool {
        secret.0[0] == known
    }

    #[inline(always)]
    fn or_else(self, mask: bool, other: Self) -> Self {
        if mask { self } else { other }
    }

    #[inline(always)]
    fn only(self, mask: bool) -> Self {
        self.or_else(mask, Self([[0; 2]; LANES]))
    }

    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Self(from_fn(|lane| from_fn(|half| self.0[lane][half] | other.0[lane][half])))
    }
}

impl Add for PortableWords {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane] + other.0[lane]))
    }
}

impl Sub for PortableWords {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane] - other.0[lane]))
    }
}

impl Add for PortablePairs {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|lane| from_fn(|half| self.0[lane][half] + other.0[lane][half])))
    }
}

impl Sub for PortablePairs {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|lane| from_fn(|half| self.0[lane][half] - other.0[lane][half])))
    }
}
