//! The one representation below p: for bytes, for comparisons, and for the inversion.

use crate::field::{Field4, LIMBS, VECTORS};
use crate::lanes::{LANES, LIMB_BITS, Pairs, Words};

/// Four numbers below p, limb by limb: 0 to 8191 each, the last 0 to 255.
pub(crate) struct Frozen([[i32; LANES]; LIMBS]);

impl<P: Pairs> Field4<P> {
    /// Reduces fully, for elements up to 7-fold. No branch and no address depends on them.
    ///
    /// Limbs are carried, each into the next, and the part above 2²⁵⁵ counts 19-fold below. The number is at most
    /// 7·L·2²⁴⁷·1.01 in size, so that part is at most ±224. After the first round the number is above −4300 and below
    /// 2²⁵⁵ + 4300. After the second it is at least 0 and below 2²⁵⁵, and limb 0 takes ±19 without a carry. The last
    /// two rounds subtract p if 19 more would reach 2²⁵⁵.
    #[inline(never)]
    pub(crate) fn freeze(&self) -> Frozen {
        let mut limbs = self.unpacked();
        for _ in 0..2 {
            let above = carried(&mut limbs);
            limbs[0] = limbs[0] + above.times(19);
        }
        let mut higher = limbs;
        higher[0] = higher[0] + P::Words::splat(19);
        let reaches = carried(&mut higher);
        limbs[0] = limbs[0] + reaches.times(19);
        carried(&mut limbs);
        Frozen(limbs.map(Words::to_array))
    }

    fn unpacked(&self) -> [P::Words; LIMBS] {
        let mut limbs = [P::Words::splat(0); LIMBS];
        for at in 0..VECTORS {
            limbs[2 * at] = self.0[at].low();
            limbs[2 * at + 1] = self.0[at].high();
        }
        limbs
    }
}

/// Carries every limb into the next. Returns the part above 2²⁵⁵, and removes it.
pub(crate) fn carried<W: Words>(limbs: &mut [W; LIMBS]) -> W {
    for at in 0..LIMBS - 1 {
        limbs[at + 1] = limbs[at + 1] + limbs[at].carry();
        limbs[at] = limbs[at].rest();
    }
    let above = limbs[LIMBS - 1].shift_8();
    limbs[LIMBS - 1] = limbs[LIMBS - 1].low_8();
    above
}

impl Frozen {
    /// Returns the number of one lane, little-endian.
    #[inline(never)]
    pub(crate) fn bytes(&self, lane: usize) -> [u8; 32] {
        let mut bytes = [0; 32];
        let (mut held, mut bits, mut at) = (0_u32, 0, 0);
        for limb in &self.0 {
            held |= (limb[lane] as u32) << bits;
            bits += LIMB_BITS;
            while bits >= 8 && at < 32 {
                bytes[at] = held as u8;
                held >>= 8;
                bits -= 8;
                at += 1;
            }
        }
        bytes
    }

    /// Returns whether the number of one lane is zero. Not for secrets.
    pub(crate) fn is_zero(&self, lane: usize) -> bool {
        self.0.iter().all(|limb| limb[lane] == 0)
    }

    /// Returns 1 if the number of one lane is odd, else 0: RFC 8032's sign of x.
    pub(crate) fn is_odd(&self, lane: usize) -> u8 {
        (self.0[0][lane] & 1) as u8
    }
}
