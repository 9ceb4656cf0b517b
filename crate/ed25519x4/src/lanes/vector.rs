//! Lanes in WebAssembly. Every operation is one or a few instructions, and none needs `unsafe`.

use super::{LANES, LIMB_BITS, LIMB_MASK, Pairs, Words};
use core::arch::wasm32::{
    i16x8, i16x8_add, i16x8_mul, i16x8_shuffle, i16x8_sub, i32x4_add, i32x4_dot_i16x8, i32x4_eq,
    i32x4_extract_lane, i32x4_mul, i32x4_shl, i32x4_shr, i32x4_shuffle, i32x4_splat, i32x4_sub, v128,
    v128_and, v128_bitselect, v128_or,
};
use core::ops::{Add, Sub};

#[derive(Clone, Copy)]
pub(crate) struct VectorWords(v128);

#[derive(Clone, Copy)]
pub(crate) struct VectorPairs(v128);

impl Words for VectorWords {
    type Pairs = VectorPairs;

    #[inline(always)]
    fn splat(number: i32) -> Self {
        Self(i32x4_splat(number))
    }

    #[inline(always)]
    fn to_array(self) -> [i32; LANES] {
        [
            i32x4_extract_lane::<0>(self.0),
            i32x4_extract_lane::<1>(self.0),
            i32x4_extract_lane::<2>(self.0),
            i32x4_extract_lane::<3>(self.0),
        ]
    }

    #[inline(always)]
    fn carry(self) -> Self {
        Self(i32x4_shr(self.0, LIMB_BITS))
    }

    #[inline(always)]
    fn rest(self) -> Self {
        Self(v128_and(self.0, i32x4_splat(LIMB_MASK)))
    }

    #[inline(always)]
    fn shift_8(self) -> Self {
        Self(i32x4_shr(self.0, 8))
    }

    #[inline(always)]
    fn low_8(self) -> Self {
        Self(v128_and(self.0, i32x4_splat(255)))
    }

    #[inline(always)]
    fn times(self, factor: i32) -> Self {
        Self(i32x4_mul(self.0, i32x4_splat(factor)))
    }

    /// Multiplies with the `dot` instruction. The high half of the lane, the sign, is multiplied by zero.
    #[inline(always)]
    fn short_times(self, factor: i16) -> Self {
        Self(i32x4_dot_i16x8(self.0, i32x4_splat(factor as i32)))
    }

    #[inline(always)]
    fn pair_with(self, high: Self) -> VectorPairs {
        VectorPairs(self.0).low_with_high_of(VectorPairs(i32x4_shl(high.0, 16)))
    }
}

impl Pairs for VectorPairs {
    type Words = VectorWords;
    type Mask = v128;

    #[inline(always)]
    fn new([a, b, c, d]: [[i16; 2]; LANES]) -> Self {
        Self(i16x8(a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]))
    }

    #[inline(always)]
    fn low(self) -> VectorWords {
        VectorWords(i32x4_shr(i32x4_shl(self.0, 16), 16))
    }

    #[inline(always)]
    fn high(self) -> VectorWords {
        VectorWords(i32x4_shr(self.0, 16))
    }

    #[inline(always)]
    fn dot(self, other: Self) -> VectorWords {
        VectorWords(i32x4_dot_i16x8(self.0, other.0))
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Self(i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(self.0, self.0))
    }

    #[inline(always)]
    fn low_with_high_of(self, other: Self) -> Self {
        Self(i16x8_shuffle::<0, 9, 2, 11, 4, 13, 6, 15>(self.0, other.0))
    }

    #[inline(always)]
    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(self, other: Self) -> Self {
        Self(i32x4_shuffle::<A, B, C, D>(self.0, other.0))
    }

    #[inline(always)]
    fn scaled(self, [a, b, c, d]: [i16; LANES]) -> Self {
        Self(i16x8_mul(self.0, i16x8(a, a, b, b, c, c, d, d)))
    }

    #[inline(always)]
    fn if_equal(secret: VectorWords, known: i32) -> v128 {
        i32x4_eq(secret.0, i32x4_splat(known))
    }

    #[inline(always)]
    fn or_else(self, mask: v128, other: Self) -> Self {
        Self(v128_bitselect(self.0, other.0, mask))
    }

    #[inline(always)]
    fn only(self, mask: v128) -> Self {
        Self(v128_and(self.0, mask))
    }

    #[inline(always)]
    fn join(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }
}

impl Add for VectorWords {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(i32x4_add(self.0, other.0))
    }
}

impl Sub for VectorWords {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(i32x4_sub(self.0, other.0))
    }
}

impl Add for VectorPairs {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(i16x8_add(self.0, other.0))
    }
}

impl Sub for VectorPairs {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(i16x8_sub(self.0, other.0))
    }
}
