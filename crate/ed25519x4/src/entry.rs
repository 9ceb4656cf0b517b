//! Stores points as entries of tables.
//!
//! Entries are affine (Z = 1), so an addition needs only three reduced elements: y−x, y+x and 2d·x·y. Their ten
//! vectors of three lanes fit in eight vectors of four lanes, which are 128 bytes per entry.

use crate::batch::invert_all;
use crate::constants::D2;
use crate::encoding::gathered_z;
use crate::field::Field4;
use crate::lanes::{LANES, Native, Pairs};
use crate::point::{Point, Summand};
use alloc::vec::Vec;

/// Number of entries in a row of a table.
pub(crate) const ROW: usize = 16;

/// Elements y−x, y+x and 2d·x·y of a point in lanes 0 to 2. In the first three vectors, the fourth lane has the ninth
/// pair of limbs of the three elements. In the next three vectors, it has the tenth pair.
#[derive(Clone, Copy)]
pub(crate) struct Entry<P = Native>([P; 8]);

pub(crate) type Row<P> = [Entry<P>; ROW];

/// Layout of a table. A row has a first point and fifteen more, each one step further. The first point of the next
/// row is 2 to the power of `bits` times that of the row.
pub(crate) struct Rows<P> {
    pub(crate) count: usize,
    pub(crate) bits: usize,
    pub(crate) step: fn(&Point<P>) -> Point<P>,
}

/// Computes the table of a point. For 26 rows this takes about 2,000 products in four lanes.
#[inline(never)]
pub(crate) fn rows<P: Pairs>(point: &Point<P>, rows: &Rows<P>) -> Vec<Row<P>> {
    let points = multiples(point, rows);
    let mut inverses: Vec<_> = points.chunks(LANES).map(gathered_z).collect();
    invert_all(&mut inverses);
    points
        .chunks(ROW)
        .zip(inverses.chunks(ROW / LANES))
        .map(|(points, inverses)| row(points, inverses))
        .collect()
}

fn multiples<P: Pairs>(point: &Point<P>, rows: &Rows<P>) -> Vec<Point<P>> {
    let mut points = Vec::with_capacity(rows.count * ROW);
    let mut first = *point;
    for at in 0..rows.count {
        if at > 0 {
            first = first.doubled_times(rows.bits);
        }
        let (mut last, step) = (first, (rows.step)(&first).summand());
        points.push(last);
        for _ in 1..ROW {
            last = last.plus(&step);
            points.push(last);
        }
    }
    points
}

/// Makes the points of a row affine: (Y−X)/Z, (Y+X)/Z and 2d·T/Z, because x·y = T/Z. The factors are
/// 2-fold and 1-fold.
pub(crate) fn row<P: Pairs>(points: &[Point<P>], inverses: &[Field4<P>]) -> Row<P> {
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

#[inline(never)]
fn broadcast<P: Pairs>(elements: &Field4<P>, lane: usize) -> Field4<P> {
    match lane {
        0 => elements.lanes::<0, 0, 0, 0>(),
        1 => elements.lanes::<1, 1, 1, 1>(),
        2 => elements.lanes::<2, 2, 2, 2>(),
        _ => elements.lanes::<3, 3, 3, 3>(),
    }
}

impl<P: Pairs> Entry<P> {
    /// Returns the neutral entry: y−x = 1, y+x = 1, 2d·x·y = 0.
    pub(crate) fn neutral() -> Self {
        let zero = P::new([[0; 2]; LANES]);
        Self([P::new([[1, 0], [1, 0], [0; 2], [0; 2]]), zero, zero, zero, zero, zero, zero, zero])
    }

    /// Packs an entry from the three elements in lanes 0 to 2.
    pub(crate) fn new(elements: &Field4<P>) -> Self {
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

    /// Unpacks the three elements, and puts 2·Z = 2 in the fourth lane.
    #[inline(always)]
    pub(crate) fn summand(&self) -> Summand<P> {
        let [a, b, c, d, e, f, g, h] = self.0;
        let zero = P::new([[0; 2]; LANES]);
        let two = P::new([[0; 2], [0; 2], [0; 2], [2, 0]]);
        // Take zeros from the fourth lane of g, which is always zero.
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

    /// Applies an operation to each pair of vectors, manually unrolled.
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

    /// Keeps this entry where the mask is set, and zeros elsewhere.
    #[inline(always)]
    pub(crate) fn only(&self, mask: P::Mask) -> Self {
        self.zip(self, |own, _| own.only(mask))
    }

    /// Joins two entries. At least one must be zero.
    #[inline(always)]
    pub(crate) fn join(&self, other: &Self) -> Self {
        self.zip(other, P::join)
    }
}
