//! Inversion modulo p by division steps, in constant time (Bernstein, Yang, "Fast constant-time gcd computation and
//! modular inversion", 2019). In the half-delta variant, 590 steps suffice for 256 bits (Pieter Wuille's analysis for
//! libsecp256k1, `doc/safegcd_implementation.md`, which is also the source of the bounds below).
//!
//! At the start, f = p, g is the number, d = 0 and e = 1, so f ≡ d·number and g ≡ e·number (mod p). If g is odd and
//! δ > 0, a step first exchanges f and g, and negates one of them. Then it adds f to an odd g, and halves g. The same
//! operations are applied to d and e, modulo p. At the end, g = 0 and f = ±1, so ±d is the inverse. For zero the
//! result is zero.
//!
//! A step reads only the lowest bits. Thirty steps are thus computed on the lowest 30 bits of f and g, and then applied
//! to all four numbers as one matrix of small integers. Twenty such rounds make 600 steps.

/// Number from −2²⁵⁶ to 2²⁵⁶ as limbs of 30 bits. Only the last limb has a sign.
type Limbs = [i32; LIMBS];

const LIMBS: usize = 9;
const BITS: u32 = 30;
const MASK: i32 = (1 << BITS) - 1;
const ROUNDS: usize = 20;

/// Limbs of p = 2²⁵⁵ − 19 = −19 + 2¹⁵·2²⁴⁰. One limb is negative.
const P_LOW: i64 = -19;
const P_HIGH: i64 = 1 << 15;

/// Inverse of p modulo 2³⁰. Multiplied by −19 it is 1.
const P_INVERSE: i32 = inverse_of_p();

/// Computes the inverse of p by Newton's iteration, from three correct bits. Each round doubles their number.
const fn inverse_of_p() -> i32 {
    let p = P_LOW as i32;
    let mut inverse = p;
    let mut round = 0;
    while round < 4 {
        inverse = inverse.wrapping_mul(2_i32.wrapping_sub(p.wrapping_mul(inverse)));
        round += 1;
    }
    inverse & MASK
}

/// Matrix of thirty steps, times 2³⁰: f becomes u·f + v·g, g becomes q·f + r·g. |u| + |v| ≤ 2³⁰, |q| + |r| ≤ 2³⁰.
struct Steps {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// Returns the inverse of a number below p, both little-endian. Returns zero for zero.
#[inline(never)]
pub(crate) fn invert(number: &[u8; 32]) -> [u8; 32] {
    let mut f = from_bytes(&[0xff; 32]);
    f[0] = (P_LOW as i32) & MASK;
    f[8] = (P_HIGH as i32) - 1;
    let mut g = from_bytes(number);
    let (mut d, mut e) = ([0; LIMBS], [0; LIMBS]);
    e[0] = 1;
    let mut zeta = -1;
    for _ in 0..ROUNDS {
        let steps = thirty_steps(&mut zeta, f[0], g[0]);
        apply_modulo_p(&mut d, &mut e, &steps);
        apply(&mut f, &mut g, &steps);
    }
    to_bytes(&normalized(d, f[LIMBS - 1] >> 31))
}

/// Computes thirty steps from the lowest bits, as the product of two matrices of fifteen steps each.
/// ζ = −(δ + ½).
#[inline(never)]
fn thirty_steps(zeta: &mut i64, f: i32, g: i32) -> Steps {
    let (f, g) = (i64::from(f), i64::from(g));
    let first = fifteen_steps(zeta, f, g);
    let [f, g] = [first.u * f + first.v * g, first.q * f + first.r * g].map(|sum| sum >> HALF);
    let second = fifteen_steps(zeta, f, g);
    Steps {
        u: second.u * first.u + second.v * first.q,
        v: second.u * first.v + second.v * first.r,
        q: second.q * first.u + second.r * first.q,
        r: second.q * first.v + second.r * first.r,
    }
}

/// Number of steps in one loop, half of a round.
const HALF: u32 = 15;

/// Number of bits between the three numbers that are packed in one 64-bit number.
const APART: u32 = 21;

/// Does fifteen steps, and returns their matrix times 2¹⁵. Masks, all ones or zero, replace branches.
///
/// f, u and v are packed in one 64-bit number, 21 bits apart, and so are g, q and r. All three undergo the same
/// additions, negations and halvings. These are linear, so a borrow from the next number does not matter. u and r
/// start at 2¹⁵, which can be halved fifteen times. All numbers stay within −2¹⁶ to 2¹⁶, because a step computes half
/// the sum or difference of two, or exchanges two.
#[inline(always)]
fn fifteen_steps(zeta: &mut i64, f: i64, g: i64) -> Steps {
    let low = (1 << HALF) - 1;
    let mut fuv = (f & low) + (1 << (HALF + APART));
    let mut gqr = (g & low) + (1 << (HALF + 2 * APART));
    for _ in 0..HALF {
        (*zeta, fuv, gqr) = one_step((*zeta, fuv, gqr));
    }
    let [u, v] = parted(fuv);
    let [q, r] = parted(gqr);
    Steps { u, v, q, r }
}

/// Computes one step: ζ, f packed with u and v, and g packed with q and r. The new f is taken directly from g.
/// Computing it as (g − f) + f would be the same, but makes the chain of dependent operations longer.
#[inline(always)]
fn one_step((zeta, fuv, gqr): (i64, i64, i64)) -> (i64, i64, i64) {
    let swap = zeta >> 63;
    let odd = (gqr << 63) >> 63;
    let both = swap & odd;
    let sum = gqr + (((fuv ^ swap) - swap) & odd);
    ((zeta ^ both) - 1, fuv ^ ((fuv ^ gqr) & both), sum >> 1)
}

/// Unpacks the second and the third of three packed numbers.
#[inline(always)]
fn parted(three: i64) -> [i64; 2] {
    let lowest = |numbers: i64| (numbers << (64 - APART)) >> (64 - APART);
    let two = (three - lowest(three)) >> APART;
    [lowest(two), (two - lowest(two)) >> APART]
}

/// Applies thirty steps to f and g. The lowest 30 bits become zero. |f|, |g| stay ≤ 2²⁵⁶; sums fit in 62 bits.
#[inline(never)]
fn apply(f: &mut Limbs, g: &mut Limbs, steps: &Steps) {
    let (mut of_f, mut of_g) = (0, 0);
    for at in 0..LIMBS {
        of_f += steps.u * i64::from(f[at]) + steps.v * i64::from(g[at]);
        of_g += steps.q * i64::from(f[at]) + steps.r * i64::from(g[at]);
        if at > 0 {
            f[at - 1] = (of_f as i32) & MASK;
            g[at - 1] = (of_g as i32) & MASK;
        }
        of_f >>= BITS;
        of_g >>= BITS;
    }
    f[LIMBS - 1] = of_f as i32;
    g[LIMBS - 1] = of_g as i32;
}

/// Applies thirty steps to d and e, modulo p. It adds the multiple of p that makes the lowest 30 bits zero. d and e
/// stay above −2p and below p, because p is added once for each negative number.
#[inline(never)]
fn apply_modulo_p(d: &mut Limbs, e: &mut Limbs, steps: &Steps) {
    let (d_sign, e_sign) = (i64::from(d[LIMBS - 1] >> 31), i64::from(e[LIMBS - 1] >> 31));
    let mut of_d = steps.u * i64::from(d[0]) + steps.v * i64::from(e[0]);
    let mut of_e = steps.q * i64::from(d[0]) + steps.r * i64::from(e[0]);
    let p_of_d = multiple_of_p((steps.u & d_sign) + (steps.v & e_sign), of_d);
    let p_of_e = multiple_of_p((steps.q & d_sign) + (steps.r & e_sign), of_e);
    of_d = (of_d + P_LOW * p_of_d) >> BITS;
    of_e = (of_e + P_LOW * p_of_e) >> BITS;
    let high = [0, 0, 0, 0, 0, 0, 0, 0, P_HIGH];
    for at in 1..LIMBS {
        of_d += steps.u * i64::from(d[at]) + steps.v * i64::from(e[at]) + high[at] * p_of_d;
        of_e += steps.q * i64::from(d[at]) + steps.r * i64::from(e[at]) + high[at] * p_of_e;
        d[at - 1] = (of_d as i32) & MASK;
        e[at - 1] = (of_e as i32) & MASK;
        of_d >>= BITS;
        of_e >>= BITS;
    }
    d[LIMBS - 1] = of_d as i32;
    e[LIMBS - 1] = of_e as i32;
}

/// Returns the multiple of p, close to `for_signs`, that makes the lowest 30 bits of a sum zero.
#[inline(always)]
fn multiple_of_p(for_signs: i64, sum: i64) -> i64 {
    let wrong = P_INVERSE.wrapping_mul(sum as i32).wrapping_add(for_signs as i32) & MASK;
    for_signs - i64::from(wrong)
}

/// Returns d, or −d if `negate` is all ones, reduced to 0 to p − 1. Requires −2p < d < p.
fn normalized(mut d: Limbs, negate: i32) -> Limbs {
    add_p_if_negative(&mut d);
    for limb in &mut d {
        *limb = (*limb ^ negate) - negate;
    }
    carry(&mut d);
    add_p_if_negative(&mut d);
    d
}

fn add_p_if_negative(number: &mut Limbs) {
    let negative = number[LIMBS - 1] >> 31;
    number[0] += (P_LOW as i32) & negative;
    number[LIMBS - 1] += (P_HIGH as i32) & negative;
    carry(number);
}

fn carry(number: &mut Limbs) {
    for at in 0..LIMBS - 1 {
        number[at + 1] += number[at] >> BITS;
        number[at] &= MASK;
    }
}

fn from_bytes(bytes: &[u8; 32]) -> Limbs {
    let mut limbs = [0; LIMBS];
    let (mut held, mut bits, mut at) = (0_u64, 0, 0);
    for &byte in bytes {
        held |= u64::from(byte) << bits;
        bits += 8;
        if bits >= BITS {
            limbs[at] = (held as i32) & MASK;
            held >>= BITS;
            bits -= BITS;
            at += 1;
        }
    }
    limbs[LIMBS - 1] = held as i32;
    limbs
}

fn to_bytes(limbs: &Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (mut held, mut bits, mut next) = (0_u64, 0, limbs.iter());
    for byte in &mut bytes {
        if bits < 8 {
            held |= next.next().map_or(0, |&limb| limb as u32 as u64) << bits;
            bits += BITS;
        }
        *byte = held as u8;
        held >>= 8;
        bits -= 8;
    }
    bytes
}
