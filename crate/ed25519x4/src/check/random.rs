//! Generates pseudorandom cases from a seed.

use crate::field::{LIMBS, Limbs};

/// Pseudorandom generator SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `limit` − 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        for chunk in bytes.chunks_mut(8) {
            let word = self.next().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        bytes
    }

    /// Returns limbs up to a bound in size. Half of the elements have only extreme limbs, and a quarter have some.
    pub(crate) fn limbs(&mut self, bound: i16) -> Limbs {
        let extreme = match self.below(4) {
            0 | 1 => 100,
            2 => 30,
            _ => 0,
        };
        let mut limbs = [0; LIMBS];
        for limb in &mut limbs {
            *limb = if self.below(100) < extreme { self.extreme(bound) } else { self.any(bound) };
        }
        limbs
    }

    fn any(&mut self, bound: i16) -> i16 {
        (self.below(2 * bound as usize + 1) as i32 - i32::from(bound)) as i16
    }

    fn extreme(&mut self, bound: i16) -> i16 {
        [bound, -bound, bound - 1, 1 - bound, 4095, -4096, 1, 0, -1, bound, -bound][self.below(11)]
            .clamp(-bound, bound)
    }
}
