//! Encodes points in 32 bytes: y, with the sign of x as the highest bit (RFC 8032 §5.1.2). Decodes them (§5.1.3).

use crate::batch::invert_all;
use crate::constants::{D, ROOT_OF_MINUS_ONE};
use crate::field::Field4;
use crate::invert::invert;
use crate::lanes::{LANES, Pairs};
use crate::point::Point;
use alloc::vec::Vec;

/// Reason why bytes are not the encoding of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAPoint {
    /// The y is not below p, or x is zero and has a sign.
    NonCanonical,
    /// No point of the curve has this y.
    NotOnCurve,
}

/// Encodes one point, in constant time.
#[inline(never)]
pub(crate) fn encode<P: Pairs>(point: &Point<P>) -> [u8; 32] {
    let inverse = invert(&point.0.freeze().bytes(3));
    let affine = point.0.times(&Field4::of_bytes(&inverse)).freeze();
    with_sign(affine.bytes(1), affine.is_odd(0))
}

/// Encodes many points, with one inversion, in constant time.
#[inline(never)]
pub(crate) fn encode_all<P: Pairs>(points: &[Point<P>]) -> Vec<[u8; 32]> {
    let mut inverses: Vec<_> = points.chunks(LANES).map(gathered_z).collect();
    invert_all(&mut inverses);
    let mut encodings = Vec::with_capacity(points.len());
    for (chunk, inverses) in points.chunks(LANES).zip(&inverses) {
        let first = inverses.lanes::<0, 0, 1, 1>();
        let second = inverses.lanes::<2, 2, 3, 3>();
        for (pair, inverses) in chunk.chunks(2).zip([first, second]) {
            encode_pair(pair, &inverses, &mut encodings);
        }
    }
    Field4::wipe(&mut inverses);
    encodings
}

/// Encodes two points, or one point twice. The lanes have x, y, x′, y′.
#[inline(never)]
fn encode_pair<P: Pairs>(pair: &[Point<P>], inverses: &Field4<P>, encodings: &mut Vec<[u8; 32]>) {
    let coordinates = pair[0].0.lanes_of::<0, 1, 4, 5>(&pair[pair.len() - 1].0);
    let affine = coordinates.times(inverses).freeze();
    for lane in [0, 2].into_iter().take(pair.len()) {
        encodings.push(with_sign(affine.bytes(lane + 1), affine.is_odd(lane)));
    }
}

/// Gathers the Z of up to four points. A lane without a point gets the Z of the last point.
#[inline(never)]
pub(crate) fn gathered_z<P: Pairs>(points: &[Point<P>]) -> Field4<P> {
    let of = |at: usize| points[at.min(points.len() - 1)].0;
    let (low, high) = (of(0).lanes_of::<3, 7, 3, 7>(&of(1)), of(2).lanes_of::<3, 7, 3, 7>(&of(3)));
    low.lanes_of::<0, 1, 4, 5>(&high)
}

fn with_sign(mut y: [u8; 32], sign: u8) -> [u8; 32] {
    y[31] |= sign << 7;
    y
}

/// Decodes a point, in variable time.
///
/// x² = u/v with u = y² − 1, v = d·y² + 1. A candidate for x is u·v³·(u·v⁷)^((p−5)/8). If v·x² is −u, the candidate
/// is multiplied by a root of −1. If v·x² is neither u nor −u, there is no root (RFC 8032 §5.1.3).
pub(crate) fn decode<P: Pairs>(encoding: &[u8; 32]) -> Result<Point<P>, NotAPoint> {
    let sign = encoding[31] >> 7;
    let y = Field4::<P>::of_bytes(encoding);
    if with_sign(y.freeze().bytes(0), sign) != *encoding {
        return Err(NotAPoint::NonCanonical);
    }
    let x = root(&y).ok_or(NotAPoint::NotOnCurve)?;
    let frozen = x.freeze();
    if frozen.is_zero(0) && sign == 1 {
        return Err(NotAPoint::NonCanonical);
    }
    let x = if frozen.is_odd(0) == sign { x } else { x.scaled([-1; LANES]) };
    Ok(from_affine(&x, &y))
}

/// Makes a point from x and y, which have the same value in all lanes.
pub(crate) fn from_affine<P: Pairs>(x: &Field4<P>, y: &Field4<P>) -> Point<P> {
    let product_and_one = x.times(y).lanes_of::<0, 1, 2, 7>(&Field4::small([1; LANES]));
    Point(x.lanes_of::<0, 4, 2, 3>(y).lanes_of::<0, 1, 6, 7>(&product_and_one))
}

fn root<P: Pairs>(y: &Field4<P>) -> Option<Field4<P>> {
    let Candidate { x, less, more } = Candidate::new(y);
    if less.freeze().is_zero(0) {
        Some(x)
    } else if more.freeze().is_zero(0) {
        Some(x.times(&Field4::splat(&ROOT_OF_MINUS_ONE)))
    } else {
        None
    }
}

/// Candidate for the root of x², with the differences of v·x² from u and from −u.
pub(crate) struct Candidate<P> {
    pub(crate) x: Field4<P>,
    pub(crate) less: Field4<P>,
    pub(crate) more: Field4<P>,
}

impl<P: Pairs> Candidate<P> {
    /// Computes the candidate. The limbs of u and v exceed those of a reduced element by at most 1, so the products
    /// are within the bound of 2-fold times 2-fold.
    pub(crate) fn new(y: &Field4<P>) -> Self {
        let one = Field4::small([1; LANES]);
        let y2 = y.square();
        let u = y2 - one;
        let v = y2.times(&Field4::splat(&D)) + one;
        let v3 = v.square().times(&v);
        let power = raised(&v3.square().times(&v).times(&u));
        let x = power.times(&v3).times(&u);
        let product = x.square().times(&v);
        Self { x, less: product - u, more: product + u }
    }
}

/// Squares `high` `squarings` times, and multiplies the result by `low`.
#[inline(never)]
fn joined<P: Pairs>(high: &Field4<P>, squarings: usize, low: &Field4<P>) -> Field4<P> {
    (0..squarings).fold(*high, |power, _| power.square()).times(low)
}

/// Raises `base` to the power of (p − 5)/8 = 2²⁵² − 3, by way of the powers 2ⁿ − 1 for n = 1, 2, 4, 5, 10, 20, 40,
/// 50, 100, 200, 250.
fn raised<P: Pairs>(base: &Field4<P>) -> Field4<P> {
    let of_2 = joined(base, 1, base);
    let of_4 = joined(&of_2, 2, &of_2);
    let of_5 = joined(&of_4, 1, base);
    let of_10 = joined(&of_5, 5, &of_5);
    let of_20 = joined(&of_10, 10, &of_10);
    let of_40 = joined(&of_20, 20, &of_20);
    let of_50 = joined(&of_40, 10, &of_10);
    let of_100 = joined(&of_50, 50, &of_50);
    let of_200 = joined(&of_100, 100, &of_100);
    let of_250 = joined(&of_200, 50, &of_50);
    joined(&of_250, 2, base)
}
