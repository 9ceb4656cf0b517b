//! Defines the operations on four lanes of 32 bits, in the two forms that the field uses.
//!
//! A lane is either one number of 32 bits ([`Words`]: a coefficient of a product) or two of 16 ([`Pairs`]: two limbs of a
//! field element). The other modules' arithmetic is written once over these two traits and runs
//!
//! - on `v128`, in WebAssembly with SIMD (`vector`),
//! - on arrays everywhere else (`portable`): native tests,
//! - on intervals (`interval`, in the tests): every number is a range of numbers. Every operation yields the range of
//!   all its results, and panics if one of them would not fit. If the code runs with the widest allowed operands, it
//!   cannot overflow with any others,
//! - on polynomials (`symbolic`, in the tests): every number is an unknown, so the result holds for all numbers.
//!
//! The operations are therefore named by their effect on numbers, and not by the instructions that perform them.

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

pub(crate) const LANES: usize = 4;

pub(crate) const LIMB_BITS: u32 = 13;

pub(crate) const LIMB_MASK: i32 = (1 << LIMB_BITS) - 1;

/// Four signed numbers of 32 bits. Callers must ensure that no operation overflows.
pub(crate) trait Words: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Type of two [`Words`] that are packed as halves of 16 bits.
    type Pairs;

    /// Puts the same number in every lane.
    fn splat(number: i32) -> Self;

    /// Puts the same secret number in every lane. Hides the value from the compiler. Otherwise the compiler might
    /// compare numbers instead of vectors, and choose between vectors by a branch.
    #[inline(always)]
    fn secret(number: i32) -> Self {
        black_box(Self::splat(number))
    }

    /// Returns the number of each lane.
    fn to_array(self) -> [i32; LANES];

    /// Returns the part above a limb's 13 bits: division by 2¹³, rounded down.
    fn carry(self) -> Self;

    /// Returns the 13 bits of a limb that [`Words::carry`] leaves: 0 to 8191.
    fn rest(self) -> Self;

    /// Returns the part above 8 bits: division by 2⁸, rounded down.
    fn shift_8(self) -> Self;

    /// Returns the lowest 8 bits: 0 to 255.
    fn low_8(self) -> Self;

    /// Multiplies by a small constant.
    fn times(self, factor: i32) -> Self;

    /// Multiplies numbers of 16 bits by a constant of at least 0, twice as fast as [`Words::times`].
    fn short_times(self, factor: i16) -> Self;

    /// Packs `self` as low halves with `high` as high halves. All numbers must fit in 16 bits.
    fn pair_with(self, high: Self) -> Self::Pairs;
}

/// Four pairs of signed numbers of 16 bits. Callers must ensure that no operation overflows.
pub(crate) trait Pairs: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Type of a product of two [`Pairs`].
    type Words: Words<Pairs = Self>;

    /// Mask with ones in the chosen lanes and zeros in the others.
    type Mask: Copy;

    /// Makes the four pairs, each with the low half first.
    fn new(pairs: [[i16; 2]; LANES]) -> Self;

    /// Returns the low halves.
    fn low(self) -> Self::Words;

    /// Returns the high halves.
    fn high(self) -> Self::Words;

    /// Returns low times low plus high times high, in every lane.
    fn dot(self, other: Self) -> Self::Words;

    /// Swaps the halves of each pair.
    fn swapped(self) -> Self;

    /// Combines the low halves of `self` with the high halves of `other`.
    fn low_with_high_of(self, other: Self) -> Self;

    /// Selects four lanes by number: 0 to 3 are lanes of `self`, 4 to 7 of `other`.
    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(self, other: Self) -> Self;

    /// Multiplies both halves of each lane by the lane's small constant.
    fn scaled(self, factors: [i16; LANES]) -> Self;

    /// Returns a mask with all lanes set if a secret number equals a known one, else with none. Does not branch.
    fn if_equal(secret: Self::Words, known: i32) -> Self::Mask;

    /// Keeps lanes of `self` where the mask is set, and lanes of `other` elsewhere.
    fn or_else(self, mask: Self::Mask, other: Self) -> Self;

    /// Keeps lanes where the mask is set, and zeros elsewhere.
    fn only(self, mask: Self::Mask) -> Self;

    /// Joins two operands. In each lane, at least one must be zero.
    fn join(self, other: Self) -> Self;
}
