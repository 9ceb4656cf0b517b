//! Computes the representation below p, for bytes, for comparisons, and for the inversion.

use crate::field::{Field4, LIMBS, VECTORS};
use crate::lanes::{LANES, LIMB_BITS, Pairs, Words};

/// Four numbers below p, limb by limb. Each limb is 0 to 8191, the last one 0 to 255.
pub(crate) struct Frozen([[i32; LANES]; LIMBS]);

impl<P: Pairs> Field4<P> {
    /// Reduces elements that are at most 7-fold (see [`crate::field`]) to numbers below p. No branch and no
    /// address depends on the elements.
    ///
    /// Each limb is carried into the next one, and the part above 2²⁵⁵ is multiplied by 19 and added to limb 0. The
    /// number is at most 7·L·2²⁴⁷·1.01 in size, so that part is at most ±224. After the first round the number is
    /// above −4300 and below 2²⁵⁵ + 4300. After the second it is at least 0 and below 2²⁵⁵, and adding ±19 to limb 0
    /// causes no carry. The last two rounds subtract p if the number plus 19 reaches 2²⁵⁵.
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

/// Carries every limb into the next one. Removes the part above 2²⁵⁵, and returns it.
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

    /// Returns true if the number of one lane is zero. In variable time, so it must not be used for secrets.
    pub(crate) fn is_zero(&self, lane: usize) -> bool {
        self.0.iter().all(|limb| limb[lane] == 0)
    }

    /// Returns 1 if the number of one lane is odd, and 0 otherwise. For x, this is the sign in RFC 8032.
    pub(crate) fn is_odd(&self, lane: usize) -> u8 {
        (self.0[0][lane] & 1) as u8
    }
}
