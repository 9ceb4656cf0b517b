//! Four lanes of 32 bits, in the two ways in which the field uses them.
//!
//! A lane is either one number of 32 bits ([`Words`]: a coefficient of a product) or two of 16 ([`Pairs`]: two limbs
//! of a field element). The arithmetic above is written once over these two traits and runs
//!
//! - on `v128`, in WebAssembly (`vector`),
//! - on arrays everywhere else (`portable`): native tests,
//! - on intervals (`interval`, in the tests): every number is a range of numbers, every operation yields the range of
//!   all its results and panics where one of them would not fit. What runs through there with the widest operands that
//!   are allowed cannot overflow with any others: a proof, by the very code that is proved,
//! - on polynomials (`symbolic`, in the tests): every number is an unknown, so what comes out holds for all of them.
//!
//! So the operations are named for what they mean to numbers, not for the instructions that carry them out.

use core::hint::black_box;
use core::ops::{Add, Sub};

#[cfg(test)]
pub(crate) mod interval;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
#[cfg(test)]
pub(crate) mod symbolic;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vector;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) use portable::PortablePairs as Native;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use vector::VectorPairs as Native;

/// How many lanes there are.
pub(crate) const LANES: usize = 4;

/// How many bits a limb has.
pub(crate) const LIMB_BITS: u32 = 13;

/// What a limb's bits, all ones, amount to.
pub(crate) const LIMB_MASK: i32 = (1 << LIMB_BITS) - 1;

/// Four signed numbers of 32 bits. No operation may overflow.
pub(crate) trait Words: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// What two of these make, as two halves of 16 bits.
    type Pairs;

    /// The same number in every lane.
    fn splat(number: i32) -> Self;

    /// The same secret number in every lane. The compiler is kept from knowing that, or it might compare numbers
    /// instead of vectors, and choose between vectors by a branch.
    #[inline(always)]
    fn secret(number: i32) -> Self {
        black_box(Self::splat(number))
    }

    /// The number of each lane.
    fn to_array(self) -> [i32; LANES];

    /// What is above a limb's 13 bits: division by 2¹³, rounded down.
    fn carry(self) -> Self;

    /// A limb's 13 bits, which are what [`Words::carry`] leaves: 0 to 8191.
    fn rest(self) -> Self;

    /// What is above 8 bits: division by 2⁸, rounded down.
    fn shift_8(self) -> Self;

    /// The lowest 8 bits: 0 to 255.
    fn low_8(self) -> Self;

    /// The product with a small constant.
    fn times(self, factor: i32) -> Self;

    /// The product of numbers that fit in 16 bits with a constant that does: twice as fast as [`Words::times`].
    fn short_times(self, factor: i16) -> Self;

    /// These numbers as low halves, others as high ones. All must fit in 16 bits.
    fn pair_with(self, high: Self) -> Self::Pairs;
}

/// Four pairs of signed numbers of 16 bits. No operation may overflow.
pub(crate) trait Pairs: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// What a product of two of these is.
    type Words: Words<Pairs = Self>;

    /// All ones in the lanes that are meant and zeros in the others.
    type Mask: Copy;

    /// The pairs, low half first, of each lane.
    fn new(pairs: [[i16; 2]; LANES]) -> Self;

    /// The low halves.
    fn low(self) -> Self::Words;

    /// The high halves.
    fn high(self) -> Self::Words;

    /// Low times low plus high times high, in every lane.
    fn dot(self, other: Self) -> Self::Words;

    /// Each pair the other way round.
    fn swapped(self) -> Self;

    /// These pairs' low halves with the high halves of others.
    fn low_with_high_of(self, other: Self) -> Self;

    /// The lanes of that number: 0 to 3 of these pairs, 4 to 7 of the other ones.
    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(self, other: Self) -> Self;

    /// Both halves of each lane times a small constant of the lane's own.
    fn scaled(self, factors: [i16; LANES]) -> Self;

    /// All lanes if a secret number is the same as a known one, or none: decided without a branch.
    fn if_equal(secret: Self::Words, known: i32) -> Self::Mask;

    /// Those of `self` where the mask is set, those of `other` elsewhere.
    fn or_else(self, mask: Self::Mask, other: Self) -> Self;

    /// These where the mask is set, zeros elsewhere.
    fn only(self, mask: Self::Mask) -> Self;

    /// Both, where all but one summand of every lane are zero.
    fn join(self, other: Self) -> Self;
}
