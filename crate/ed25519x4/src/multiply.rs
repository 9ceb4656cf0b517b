//! Multiplies four elements by four others. Points, tables and encodings are computed with this operation.
//!
//! With a = Σ aᵢ·2¹³ⁱ and b = Σ bᵢ·2¹³ⁱ the product is Σ cₖ·2¹³ᵏ, cₖ = Σ aᵢ·bₖ₋ᵢ, for k from 0 to 38. A vector holds
//! the pair (a₂ᵢ, a₂ᵢ₊₁). With another pair (x, y), `dot` computes a₂ᵢ·x + a₂ᵢ₊₁·y. For the coefficient cₖ, x must be
//! bₖ₋₂ᵢ and y must be bₖ₋₂ᵢ₋₁. Thus b is needed in two arrangements:
//!
//! - for odd k = 2t + 1 the pairs (b₂ⱼ₊₁, b₂ⱼ), j = t − i: b's own, *swapped*;
//! - for even k = 2t the pairs (b₂ⱼ, b₂ⱼ₋₁), j = t − i: those of two neighbours, *shifted*. There are eleven: b₋₁ and
//!   b₂₀ are 0.
//!
//! # Reduction
//! 2²⁶⁰ = 2⁵·2²⁵⁵ ≡ 2⁵·19 = 608 (mod p), so cₖ₊₂₀ counts 608-fold at cₖ. A number of 31 bits times 608 would not fit
//! in 32 bits. Thus the upper coefficients are carried first, each into the next, which leaves limbs of 13 bits. Then
//! 608 times the upper limbs are added to the lower coefficients, which are carried, too. The part above limb 19 is
//! added 608-fold to limb 0, and carried through limbs 1 and 2. The carry out of limb 1 is mostly 0, so a small test
//! would not notice an error there. The proofs do.
//!
//! Limbs must be balanced, −4096 to 4095, for products to fit. A limb plus 4096 has the bits of a limb from 0 to
//! 8191. Thus 4096 is added to every coefficient at the start, and subtracted from every limb at the end. In between, a
//! shift and a mask carry. The upper limbs are added 608-fold, including their 4096, so the lower coefficients start
//! with 608·4096 less.
//!
//! # Bounds
//! Let A and B be the bounds of the operands' limbs, and A·B ≤ 6·L² = 100 860 000 (see [`crate::field`]). These
//! values fit in 32 bits:
//!
//! | | at most | |
//! |---|---|---|
//! | c₁₉, twenty products | 20·A·B | 2 017 200 000 |
//! | carry out of c₃₈, one product | A·B / 2¹³ | 12 400: in 16 bits, as `short_times` needs |
//! | c₁₉ with that carry 608-fold, and 2¹⁸ of a carry | | 2 025 000 000 < 2³¹ |
//! | carry out of limb 19, 608-fold at limb 0 | 608·2¹⁸ | 160 000 000 |
//! | carry out of limb 0 | | 19 600 |
//! | carry out of limb 1 | | −3 to 3: limb 2 is in [−4099, 4098] |
//!
//! Limbs 0 and 1 and 3 to 19 of the product are in [−4096, 4095].

use crate::field::{Field4, VECTORS};
use crate::lanes::{LIMB_BITS, Pairs, Words};

/// Factor of the upper half: 2²⁶⁰ mod p.
const FOLD: i16 = 608;

/// Offset between a balanced limb and one of 0 to 8191.
const BIAS: i32 = 1 << (LIMB_BITS - 1);

/// Initial value of the lower coefficients: their bias, minus the 608-fold bias of the upper limbs.
const LOW_BIAS: i32 = BIAS - FOLD as i32 * BIAS;

/// Returns one coefficient: the sum of `a[i]` · `b[t − i]` over the listed i.
macro_rules! sum {
    ($a:ident $b:ident $t:literal: $first:literal $($i:literal)*) => {
        $a[$first].dot($b[$t - $first]) $(+ $a[$i].dot($b[$t - $i]))*
    };
}

impl<P: Pairs> Field4<P> {
    /// Multiplies the lanes. Never inlined, because it is 4 kB of code, and all operands are in memory anyway.
    #[inline(never)]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let a = &self.0;
        let swapped = swapped(&other.0);
        let shifted = shifted(&other.0);
        let bias = P::Words::splat(BIAS);
        let low_bias = P::Words::splat(LOW_BIAS);

        // Compute the upper coefficients, c₂₀ to c₃₈. `rest` is the limb of each, and `carry` goes into the next.
        let c20 = sum!(a shifted 10: 0 1 2 3 4 5 6 7 8 9) + bias;
        let c21 = sum!(a swapped 10: 1 2 3 4 5 6 7 8 9) + bias + c20.carry();
        let c22 = sum!(a shifted 11: 1 2 3 4 5 6 7 8 9) + bias + c21.carry();
        let c23 = sum!(a swapped 11: 2 3 4 5 6 7 8 9) + bias + c22.carry();
        let c24 = sum!(a shifted 12: 2 3 4 5 6 7 8 9) + bias + c23.carry();
        let c25 = sum!(a swapped 12: 3 4 5 6 7 8 9) + bias + c24.carry();
        let c26 = sum!(a shifted 13: 3 4 5 6 7 8 9) + bias + c25.carry();
        let c27 = sum!(a swapped 13: 4 5 6 7 8 9) + bias + c26.carry();
        let c28 = sum!(a shifted 14: 4 5 6 7 8 9) + bias + c27.carry();
        let c29 = sum!(a swapped 14: 5 6 7 8 9) + bias + c28.carry();
        let c30 = sum!(a shifted 15: 5 6 7 8 9) + bias + c29.carry();
        let c31 = sum!(a swapped 15: 6 7 8 9) + bias + c30.carry();
        let c32 = sum!(a shifted 16: 6 7 8 9) + bias + c31.carry();
        let c33 = sum!(a swapped 16: 7 8 9) + bias + c32.carry();
        let c34 = sum!(a shifted 17: 7 8 9) + bias + c33.carry();
        let c35 = sum!(a swapped 17: 8 9) + bias + c34.carry();
        let c36 = sum!(a shifted 18: 8 9) + bias + c35.carry();
        let c37 = sum!(a swapped 18: 9) + bias + c36.carry();
        let c38 = sum!(a shifted 19: 9) + bias + c37.carry();

        // Compute the lower coefficients, c₀ to c₁₉, and add the upper ones 608-fold.
        let d0 = sum!(a shifted 0: 0) + c20.rest().short_times(FOLD) + low_bias;
        let d1 = sum!(a swapped 0: 0) + c21.rest().short_times(FOLD) + low_bias + d0.carry();
        let d2 = sum!(a shifted 1: 0 1) + c22.rest().short_times(FOLD) + low_bias + d1.carry();
        let d3 = sum!(a swapped 1: 0 1) + c23.rest().short_times(FOLD) + low_bias + d2.carry();
        let d4 = sum!(a shifted 2: 0 1 2) + c24.rest().short_times(FOLD) + low_bias + d3.carry();
        let d5 = sum!(a swapped 2: 0 1 2) + c25.rest().short_times(FOLD) + low_bias + d4.carry();
        let d6 = sum!(a shifted 3: 0 1 2 3) + c26.rest().short_times(FOLD) + low_bias + d5.carry();
        let d7 = sum!(a swapped 3: 0 1 2 3) + c27.rest().short_times(FOLD) + low_bias + d6.carry();
        let d8 = sum!(a shifted 4: 0 1 2 3 4) + c28.rest().short_times(FOLD) + low_bias + d7.carry();
        let d9 = sum!(a swapped 4: 0 1 2 3 4) + c29.rest().short_times(FOLD) + low_bias + d8.carry();
        let d10 = sum!(a shifted 5: 0 1 2 3 4 5) + c30.rest().short_times(FOLD) + low_bias + d9.carry();
        let d11 = sum!(a swapped 5: 0 1 2 3 4 5) + c31.rest().short_times(FOLD) + low_bias + d10.carry();
        let d12 = sum!(a shifted 6: 0 1 2 3 4 5 6) + c32.rest().short_times(FOLD) + low_bias + d11.carry();
        let d13 = sum!(a swapped 6: 0 1 2 3 4 5 6) + c33.rest().short_times(FOLD) + low_bias + d12.carry();
        let d14 = sum!(a shifted 7: 0 1 2 3 4 5 6 7) + c34.rest().short_times(FOLD) + low_bias + d13.carry();
        let d15 = sum!(a swapped 7: 0 1 2 3 4 5 6 7) + c35.rest().short_times(FOLD) + low_bias + d14.carry();
        let d16 =
            sum!(a shifted 8: 0 1 2 3 4 5 6 7 8) + c36.rest().short_times(FOLD) + low_bias + d15.carry();
        let d17 =
            sum!(a swapped 8: 0 1 2 3 4 5 6 7 8) + c37.rest().short_times(FOLD) + low_bias + d16.carry();
        let d18 =
            sum!(a shifted 9: 0 1 2 3 4 5 6 7 8 9) + c38.rest().short_times(FOLD) + low_bias + d17.carry();
        let d19 = sum!(a swapped 9: 0 1 2 3 4 5 6 7 8 9) + c38.carry().short_times(FOLD) + bias + d18.carry();

        // Add the carry above limb 19 to limb 0, 608-fold, and carry through limbs 1 and 2.
        let e0 = d0.rest() + d19.carry().times(FOLD.into());
        let e1 = d1.rest() + e0.carry();
        let e2 = d2.rest() + e1.carry();

        let bias = P::new([[BIAS as i16; 2]; 4]);
        Self([
            e0.rest().pair_with(e1.rest()) - bias,
            e2.pair_with(d3.rest()) - bias,
            d4.rest().pair_with(d5.rest()) - bias,
            d6.rest().pair_with(d7.rest()) - bias,
            d8.rest().pair_with(d9.rest()) - bias,
            d10.rest().pair_with(d11.rest()) - bias,
            d12.rest().pair_with(d13.rest()) - bias,
            d14.rest().pair_with(d15.rest()) - bias,
            d16.rest().pair_with(d17.rest()) - bias,
            d18.rest().pair_with(d19.rest()) - bias,
        ])
    }
}

/// Swaps each pair of `b` to (b₂ⱼ₊₁, b₂ⱼ), as the odd coefficients of the product need it.
#[inline(always)]
fn swapped<P: Pairs>(b: &[P; VECTORS]) -> [P; VECTORS] {
    [
        b[0].swapped(),
        b[1].swapped(),
        b[2].swapped(),
        b[3].swapped(),
        b[4].swapped(),
        b[5].swapped(),
        b[6].swapped(),
        b[7].swapped(),
        b[8].swapped(),
        b[9].swapped(),
    ]
}

/// Returns the pairs (b₂ⱼ, b₂ⱼ₋₁), one more than `b` has, as the even coefficients of the product need them.
#[inline(always)]
fn shifted<P: Pairs>(b: &[P; VECTORS]) -> [P; VECTORS + 1] {
    let zero = P::new([[0; 2]; 4]);
    [
        b[0].low_with_high_of(zero),
        b[1].low_with_high_of(b[0]),
        b[2].low_with_high_of(b[1]),
        b[3].low_with_high_of(b[2]),
        b[4].low_with_high_of(b[3]),
        b[5].low_with_high_of(b[4]),
        b[6].low_with_high_of(b[5]),
        b[7].low_with_high_of(b[6]),
        b[8].low_with_high_of(b[7]),
        b[9].low_with_high_of(b[8]),
        zero.low_with_high_of(b[9]),
    ]
}
