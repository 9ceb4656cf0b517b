//! Multiples of one point, computed once: then a product with it is 51 additions and 5 doublings.
//!
//! # Shape
//! A scalar is Σ dᵢ·32ⁱ with 51 digits dᵢ from −16 to 15 ([`crate::digits`]). Row i of 26 holds P·1024ⁱ times 1 to 16. The odd
//! digits are looked up in rows 0 to 24 and summed, the sum is doubled five times, and the even digits, looked up in rows 0
//! to 25, are added (Bernstein, Duif, Lange, Schwabe, Yang, "High-speed high-security signatures", §4).
//!
//! # Entries
//! Points of a table are affine, so Z = 1 and what an addition needs of one are three reduced elements, y−x, y+x and
//! 2d·x·y. Ten vectors of three lanes fit in eight of four: 128 bytes an entry, 53 248 a table.

use crate::batch::invert_all;
use crate::constants::D2;
use crate::digits::{DIGIT_BITS, DIGITS, Digits};
use crate::encoding::gathered_z;
use crate::field::Field4;
use crate::lanes::{LANES, Native, Pairs, Words as _};
use crate::point::{Point, Summand};
use alloc::vec::Vec;

const ROWS: usize = DIGITS / 2 + 1;
const ROW: usize = 1 << (DIGIT_BITS - 1);

/// How many bytes of memory a table takes.
pub(crate) const BYTES: usize = ROWS * ROW * size_of::<Entry>();

/// y−x, y+x and 2d·x·y of a point in lanes 0 to 2. The fourth lane holds, for the first three vectors, the ninth pair of
/// limbs of the three, and for the next three the tenth.
#[derive(Clone, Copy)]
struct Entry<P = Native>([P; 8]);

/// The multiples of one point.
pub(crate) struct Table<P = Native>(Vec<[Entry<P>; ROW]>);

impl<P: Pairs> Table<P> {
    /// The table of a point: some 830 products in four lanes.
    pub(crate) fn new(point: &Point<P>) -> Self {
        let points = multiples(point);
        let mut inverses: Vec<_> = points.chunks(LANES).map(gathered_z).collect();
        invert_all(&mut inverses);
        let mut rows = Vec::with_capacity(ROWS);
        for (points, inverses) in points.chunks(ROW).zip(inverses.chunks(ROW / LANES)) {
            rows.push(row(points, inverses));
        }
        Self(rows)
    }

    /// A secret multiple of the point, in constant time.
    #[inline(never)]
    pub(crate) fn times_secret(&self, scalar: &[u8; 32]) -> Point<P> {
        let digits = Digits::new(scalar);
        let mut sum = Point::neutral();
        for at in (1..DIGITS).step_by(2) {
            sum = sum.plus(&select(&self.0[at / 2], digits.get(at)));
        }
        sum = sum.doubled_times(DIGIT_BITS);
        for at in (0..DIGITS).step_by(2) {
            sum = sum.plus(&select(&self.0[at / 2], digits.get(at)));
        }
        sum
    }

    /// One selection alone, for a bench.
    #[cfg(any(test, feature = "check"))]
    pub(crate) fn touch(&self, digit: i32) {
        core::hint::black_box(select(&self.0[0], digit));
    }

    /// The multiple that a public digit asks for, 1 to 16 or their negatives, of a row. In variable time.
    fn find(&self, row: usize, digit: i32) -> Option<Summand<P>> {
        let entry = self.0[row].get(usize::try_from(digit.abs()).ok()?.checked_sub(1)?)?;
        let summand = entry.summand();
        Some(if digit < 0 { summand.negated() } else { summand })
    }

    /// An odd multiple of the point itself, or its negative. In variable time.
    pub(crate) fn find_first(&self, digit: i8) -> Option<Summand<P>> {
        self.find(0, digit.into())
    }
}

/// The sum of public multiples of the points of two tables: a·P − b·Q, in variable time.
pub(crate) fn difference<P: Pairs>(of: [(&Table<P>, &[u8; 32]); 2]) -> Point<P> {
    let [(plus, a), (minus, b)] = of.map(|(table, scalar)| (table, Digits::new(scalar)));
    let add = |mut sum: Point<P>, at: usize| {
        let found = [plus.find(at / 2, a.get(at)), minus.find(at / 2, -b.get(at))];
        for summand in found.iter().flatten() {
            sum = sum.plus(summand);
        }
        sum
    };
    let odd = (1..DIGITS).step_by(2).fold(Point::neutral(), add);
    (0..DIGITS).step_by(2).fold(odd.doubled_times(DIGIT_BITS), add)
}

/// All rows: 16 multiples of P, of 1024·P, and so on.
fn multiples<P: Pairs>(point: &Point<P>) -> Vec<Point<P>> {
    let mut points = Vec::with_capacity(ROWS * ROW);
    let mut first = *point;
    for _ in 0..ROWS {
        let summand = first.summand();
        let mut last = first;
        points.push(last);
        for _ in 1..ROW {
            last = last.plus(&summand);
            points.push(last);
        }
        // 16 times are four of ten doublings.
        first = last.doubled_times(2 * DIGIT_BITS - 4);
    }
    points
}

/// A row's points, made affine: (Y−X)/Z, (Y+X)/Z and 2d·T/Z, as x·y = T/Z. 2-fold times 1-fold.
fn row<P: Pairs>(points: &[Point<P>], inverses: &[Field4<P>]) -> [Entry<P>; ROW] {
    let mut row = [Entry::neutral(); ROW];
    for ((entries, points), inverses) in row.chunks_mut(LANES).zip(points.chunks(LANES)).zip(inverses) {
        let scaled = inverses.times(&Field4::splat(&D2));
        for (lane, (entry, point)) in entries.iter_mut().zip(points).enumerate() {
            let factors = broadcast(inverses, lane).lanes_of::<0, 1, 6, 3>(&broadcast(&scaled, lane));
            *entry = Entry::new(&point.differences().times(&factors));
        }
    }
    row
}

fn broadcast<P: Pairs>(elements: &Field4<P>, lane: usize) -> Field4<P> {
    match lane {
        0 => elements.lanes::<0, 0, 0, 0>(),
        1 => elements.lanes::<1, 1, 1, 1>(),
        2 => elements.lanes::<2, 2, 2, 2>(),
        _ => elements.lanes::<3, 3, 3, 3>(),
    }
}

/// The multiple that a secret digit asks for: all sixteen entries are read, and masks keep one.
#[inline(never)]
fn select<P: Pairs>(row: &[Entry<P>; ROW], digit: i32) -> Summand<P> {
    let sign = digit >> 31;
    let size = P::Words::secret((digit ^ sign) - sign);
    let mut found = Entry::neutral().only(P::if_equal(size, 0));
    for (entry, multiple) in row.iter().zip(1..) {
        found = found.join(&entry.only(P::if_equal(size, multiple)));
    }
    found.summand().negated_if(P::if_equal(P::Words::secret(sign), -1))
}

impl<P: Pairs> Entry<P> {
    /// y−x = 1, y+x = 1, 2d·x·y = 0.
    fn neutral() -> Self {
        let zero = P::new([[0; 2]; LANES]);
        Self([P::new([[1, 0], [1, 0], [0; 2], [0; 2]]), zero, zero, zero, zero, zero, zero, zero])
    }

    /// From the three elements in lanes 0 to 2.
    fn new(elements: &Field4<P>) -> Self {
        let [a, b, c, d, e, f, g, h, ninth, tenth] = elements.0;
        let zero = P::new([[0; 2]; LANES]);
        Self([
            a.lanes::<0, 1, 2, 4>(ninth),
            b.lanes::<0, 1, 2, 5>(ninth),
            c.lanes::<0, 1, 2, 6>(ninth),
            d.lanes::<0, 1, 2, 4>(tenth),
            e.lanes::<0, 1, 2, 5>(tenth),
            f.lanes::<0, 1, 2, 6>(tenth),
            g.lanes::<0, 1, 2, 4>(zero),
            h.lanes::<0, 1, 2, 4>(zero),
        ])
    }

    /// The three elements, and 2 = 2·Z in the fourth lane.
    #[inline(always)]
    fn summand(&self) -> Summand<P> {
        let [a, b, c, d, e, f, g, h] = self.0;
        let zero = P::new([[0; 2]; LANES]);
        let two = P::new([[0; 2], [0; 2], [0; 2], [2, 0]]);
        // The fourth lane of g is zero.
        let ninth = a.lanes::<3, 7, 3, 7>(b).lanes::<0, 1, 4, 5>(c.lanes::<3, 7, 3, 7>(g));
        let tenth = d.lanes::<3, 7, 3, 7>(e).lanes::<0, 1, 4, 5>(f.lanes::<3, 7, 3, 7>(g));
        let three = |of: P| of.lanes::<0, 1, 2, 7>(zero);
        Summand(Field4([
            a.lanes::<0, 1, 2, 7>(two),
            three(b),
            three(c),
            three(d),
            three(e),
            three(f),
            three(g),
            three(h),
            ninth,
            tenth,
        ]))
    }

    /// Something done to every vector, written out.
    #[inline(always)]
    fn zip(&self, other: &Self, f: impl Fn(P, P) -> P) -> Self {
        let (a, b) = (&self.0, &other.0);
        Self([
            f(a[0], b[0]),
            f(a[1], b[1]),
            f(a[2], b[2]),
            f(a[3], b[3]),
            f(a[4], b[4]),
            f(a[5], b[5]),
            f(a[6], b[6]),
            f(a[7], b[7]),
        ])
    }

    #[inline(always)]
    fn only(&self, mask: P::Mask) -> Self {
        self.zip(self, |own, _| own.only(mask))
    }

    #[inline(always)]
    fn join(&self, other: &Self) -> Self {
        self.zip(other, P::join)
    }
}
