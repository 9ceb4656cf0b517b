//! Operations on four 32-bit words at once: on `v128` in WebAssembly with SIMD, on an array elsewhere.

/// Number of words in a vector.
pub(crate) const LANES: usize = 4;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use vector::Lanes;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub(crate) use array::Lanes;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vector {
    use super::LANES;
    use core::arch::wasm32::{
        i8x16_shuffle, i32x4_shuffle, u32x4_add, u32x4_extract_lane, u32x4_shl, u32x4_shr, u32x4_splat,
        u64x2, v128, v128_and, v128_or, v128_xor,
    };
    use core::ops::{Add, BitAnd, BitXor};

    #[derive(Clone, Copy)]
    pub(crate) struct Lanes(v128);

    impl Lanes {
        #[inline(always)]
        pub(crate) fn splat(word: u32) -> Self {
            Self(u32x4_splat(word))
        }

        #[inline(always)]
        pub(crate) fn to_array(self) -> [u32; LANES] {
            [
                u32x4_extract_lane::<0>(self.0),
                u32x4_extract_lane::<1>(self.0),
                u32x4_extract_lane::<2>(self.0),
                u32x4_extract_lane::<3>(self.0),
            ]
        }

        #[inline(always)]
        pub(crate) fn rotate_right(self, bits: u32) -> Self {
            Self(v128_or(u32x4_shr(self.0, bits), u32x4_shl(self.0, 32 - bits)))
        }

        #[inline(always)]
        pub(crate) fn shift_right(self, bits: u32) -> Self {
            Self(u32x4_shr(self.0, bits))
        }

        /// Loads the sixteen big-endian words of one block per lane, four words at a time, and transposes them.
        #[inline(always)]
        pub(crate) fn load(blocks: &[&[u8; 64]; LANES]) -> [Self; 16] {
            let mut words = [Self::splat(0); 16];
            for (at, quad) in words.chunks_exact_mut(4).enumerate() {
                let [a, b, c, d] = blocks.map(|block| big_endian(&block[16 * at..]));
                let (ab_low, ab_high) =
                    (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
                let (cd_low, cd_high) =
                    (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
                quad[0] = Self(i32x4_shuffle::<0, 1, 4, 5>(ab_low, cd_low));
                quad[1] = Self(i32x4_shuffle::<2, 3, 6, 7>(ab_low, cd_low));
                quad[2] = Self(i32x4_shuffle::<0, 1, 4, 5>(ab_high, cd_high));
                quad[3] = Self(i32x4_shuffle::<2, 3, 6, 7>(ab_high, cd_high));
            }
            words
        }
    }

    /// Loads four big-endian words. The compiler makes one vector load of the two halves.
    #[inline(always)]
    fn big_endian(bytes: &[u8]) -> v128 {
        let half = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let loaded = u64x2(half(0), half(8));
        i8x16_shuffle::<3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12>(loaded, loaded)
    }

    impl Add for Lanes {
        type Output = Self;

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(u32x4_add(self.0, other.0))
        }
    }

    impl BitXor for Lanes {
        type Output = Self;

        #[inline(always)]
        fn bitxor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }
    }

    impl BitAnd for Lanes {
        type Output = Self;

        #[inline(always)]
        fn bitand(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod array {
    use super::LANES;
    use core::ops::{Add, BitAnd, BitXor};

    #[derive(Clone, Copy)]
    pub(crate) struct Lanes([u32; LANES]);

    impl Lanes {
        pub(crate) fn splat(word: u32) -> Self {
            Self([word; LANES])
        }

        pub(crate) fn to_array(self) -> [u32; LANES] {
            self.0
        }

        pub(crate) fn rotate_right(self, bits: u32) -> Self {
            Self(self.0.map(|word| word.rotate_right(bits)))
        }

        pub(crate) fn shift_right(self, bits: u32) -> Self {
            Self(self.0.map(|word| word >> bits))
        }

        pub(crate) fn load(blocks: &[&[u8; 64]; LANES]) -> [Self; 16] {
            let word = |block: &[u8; 64], at: usize| {
                u32::from_be_bytes([block[4 * at], block[4 * at + 1], block[4 * at + 2], block[4 * at + 3]])
            };
            core::array::from_fn(|at| Self(blocks.map(|block| word(block, at))))
        }

        fn zip(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
            Self(core::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
        }
    }

    impl Add for Lanes {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            self.zip(other, u32::wrapping_add)
        }
    }

    impl BitXor for Lanes {
        type Output = Self;

        fn bitxor(self, other: Self) -> Self {
            self.zip(other, |a, b| a ^ b)
        }
    }

    impl BitAnd for Lanes {
        type Output = Self;

        fn bitand(self, other: Self) -> Self {
            self.zip(other, |a, b| a & b)
        }
    }
}
