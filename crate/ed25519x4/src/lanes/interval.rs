//! Lanes as ranges. Code that runs on them without a panic cannot overflow for any numbers from those ranges.

use super::{LANES, LIMB_BITS, LIMB_MASK, Pairs, Words};
use core::array::from_fn;
use core::ops::{Add, Sub};

/// All integers from the first number to the second, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range(pub(crate) i64, pub(crate) i64);

#[derive(Clone, Copy)]
pub(crate) struct IntervalWords(pub(crate) [Range; LANES]);

#[derive(Clone, Copy)]
pub(crate) struct IntervalPairs(pub(crate) [[Range; 2]; LANES]);

impl Range {
    /// Panics unless the range fits in this many bits.
    #[track_caller]
    fn fits(self, bits: u32) -> Self {
        let limit = 1_i64 << (bits - 1);
        assert!(-limit <= self.0 && self.1 < limit, "{self:?} does not fit in {bits} bits");
        self
    }

    fn times(self, other: Self) -> Self {
        let corners = [self.0 * other.0, self.0 * other.1, self.1 * other.0, self.1 * other.1];
        Self(corners.into_iter().min().unwrap(), corners.into_iter().max().unwrap())
    }

    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }

    fn minus(self, other: Self) -> Self {
        Self(self.0 - other.1, self.1 - other.0)
    }

    fn shifted_right(self, bits: u32) -> Self {
        Self(self.0 >> bits, self.1 >> bits)
    }

    /// Applies a mask of low bits. If the numbers differ above the mask, the result is the range of the mask.
    fn masked(self, mask: i64) -> Self {
        if self.0 & !mask == self.1 & !mask { Self(self.0 & mask, self.1 & mask) } else { Self(0, mask) }
    }

    fn or(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.max(other.1))
    }

    pub(crate) fn is_within(self, other: Self) -> bool {
        other.0 <= self.0 && self.1 <= other.1
    }
}

impl IntervalWords {
    #[track_caller]
    fn map(self, f: impl Fn(Range) -> Range) -> Self {
        Self(self.0.map(|range| f(range).fits(32)))
    }
}

impl Words for IntervalWords {
    type Pairs = IntervalPairs;

    fn splat(number: i32) -> Self {
        Self([Range(number.into(), number.into()); LANES])
    }

    /// Returns the lower ends of the ranges. Only the proof of `invert_all` computes with them.
    fn to_array(self) -> [i32; LANES] {
        self.0.map(|range| range.0 as i32)
    }

    fn carry(self) -> Self {
        self.map(|range| range.shifted_right(LIMB_BITS))
    }

    fn rest(self) -> Self {
        self.map(|range| range.masked(LIMB_MASK.into()))
    }

    fn shift_8(self) -> Self {
        self.map(|range| range.shifted_right(8))
    }

    fn low_8(self) -> Self {
        self.map(|range| range.masked(255))
    }

    #[track_caller]
    fn times(self, factor: i32) -> Self {
        self.map(|range| range.times(Range(factor.into(), factor.into())))
    }

    #[track_caller]
    fn short_times(self, factor: i16) -> Self {
        self.map(|range| range.fits(16)).times(factor.into())
    }

    #[track_caller]
    fn pair_with(self, high: Self) -> IntervalPairs {
        IntervalPairs(from_fn(|lane| [self.0[lane].fits(16), high.0[lane].fits(16)]))
    }
}

impl IntervalPairs {
    #[track_caller]
    fn zip(self, other: Self, f: impl Fn(Range, Range) -> Range) -> Self {
        Self(from_fn(|lane| from_fn(|half| f(self.0[lane][half], other.0[lane][half]).fits(16))))
    }
}

impl Pairs for IntervalPairs {
    type Words = IntervalWords;
    /// Mask without a value: a selection between two intervals returns one that contains both.
    type Mask = ();

    fn new(pairs: [[i16; 2]; LANES]) -> Self {
        Self(pairs.map(|pair| pair.map(|half| Range(half.into(), half.into()))))
    }

    fn low(self) -> IntervalWords {
        IntervalWords(self.0.map(|[low, _]| low))
    }

    fn high(self) -> IntervalWords {
        IntervalWords(self.0.map(|[_, high]| high))
    }

    #[track_caller]
    fn dot(self, other: Self) -> IntervalWords {
        let product = |lane: usize, half: usize| self.0[lane][half].times(other.0[lane][half]);
        IntervalWords(from_fn(|lane| product(lane, 0).plus(product(lane, 1)).fits(32)))
    }

    fn swapped(self) -> Self {
        Self(self.0.map(|[low, high]| [high, low]))
    }

    fn low_with_high_of(self, other: Self) -> Self {
        Self(from_fn(|lane| [self.0[lane][0], other.0[lane][1]]))
    }

    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(self, other: Self) -> Self {
        Self([A, B, C, D].map(|lane| if lane < LANES { self.0[lane] } else { other.0[lane - LANES] }))
    }

    #[track_caller]
    fn scaled(self, factors: [i16; LANES]) -> Self {
        let factor = |lane: usize| Range(factors[lane].into(), factors[lane].into());
        Self(from_fn(|lane| self.0[lane].map(|half| half.times(factor(lane)).fits(16))))
    }

    fn if_equal(_: IntervalWords, _: i32) {}

    fn or_else(self, (): (), other: Self) -> Self {
        self.zip(other, Range::or)
    }

    fn only(self, (): ()) -> Self {
        self.zip(Self::new([[0; 2]; LANES]), Range::or)
    }

    /// Returns a range that contains both operands, because one of them is always zero in each lane.
    fn join(self, other: Self) -> Self {
        self.zip(other, Range::or)
    }
}

impl Add for IntervalWords {
    type Output = Self;

    #[track_caller]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane].plus(other.0[lane]).fits(32)))
    }
}

impl Sub for IntervalWords {
    type Output = Self;

    #[track_caller]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane].minus(other.0[lane]).fits(32)))
    }
}

impl Add for IntervalPairs {
    type Output = Self;

    #[track_caller]
    fn add(self, other: Self) -> Self {
        self.zip(other, Range::plus)
    }
}

impl Sub for IntervalPairs {
    type Output = Self;

    #[track_caller]
    fn sub(self, other: Self) -> Self {
        self.zip(other, Range::minus)
    }
}
