//! Tables of multiples of one point, computed once, for public and for secret scalars.
//!
//! A table has rows of 16 entries ([`crate::entry`]). Scalars are below 2²⁵³.
//!
//! - [`Table`], for secret scalars, has 51 rows. Row i has 1 to 16 times 2⁵ⁱ·P. The scalar is Σ dᵢ·32ⁱ with
//!   51 digits from −16 to 15 ([`Digits`]). A multiplication adds the entry of each digit i in row i. That
//!   takes 51 additions for any scalar. A table with only every n-th row is computed faster, but needs five
//!   more doublings for each missing row between two rows (Bernstein, Duif, Lange, Schwabe, Yang, "High-speed
//!   high-security signatures", §4).
//! - [`OddTable`], for public scalars, has 26 rows. Row i has the odd multiples 1 to 31 of 2¹⁰ⁱ·P. The scalar
//!   is Σ dⱼ·2ʲ. On average, one dⱼ of seven is nonzero ([`sparse`]). Place j = 10·i + s uses row i. The
//!   entries of all places with s = 9 are added, the sum is doubled, the entries with s = 8 are added, and so
//!   on. That takes about 36 additions for a scalar, and 10 doublings for any number of scalars (the first
//!   one doubles the neutral point).

use crate::digits::{DIGIT_BITS, DIGITS, Digits, PLACES, sparse};
use crate::entry::{Entry, ROW, Row, Rows, rows};
use crate::lanes::{Native, Pairs, Words as _};
use crate::point::{Point, Summand};
use alloc::vec::Vec;

/// Number of rows in a table for public scalars.
pub(crate) const ROWS: usize = 26;

/// Number of digit positions of a public scalar that use one row.
const ROW_BITS: usize = 10;

/// Size of a table for public scalars, in bytes.
pub(crate) const BYTES: usize = ROWS * size_of::<Row<Native>>();

/// Width of the sparse digits, which are odd and below 32 in size.
const WIDTH: usize = 6;

/// Multiples 1 to 16 of one point, in rows that are `apart` digits apart, for secret scalars.
pub(crate) struct Table<P = Native> {
    rows: Vec<Row<P>>,
    apart: usize,
}

impl<P: Pairs> Table<P> {
    /// Computes the table of a point, with one row per `apart` digits.
    pub(crate) fn new(point: &Point<P>, apart: usize) -> Self {
        let (count, bits) = (DIGITS.div_ceil(apart), apart * DIGIT_BITS);
        Self { rows: rows(point, &Rows { count, bits, step: |first| *first }), apart }
    }

    /// Returns a secret multiple of the point, in constant time.
    #[inline(never)]
    pub(crate) fn times_secret(&self, scalar: &[u8; 32]) -> Point<P> {
        let digits = Digits::new(scalar);
        let (mut sum, mut shift) = (Point::neutral(), self.apart);
        while shift > 0 {
            shift -= 1;
            let (mut row, mut at) = (0, shift);
            while at < DIGITS {
                sum = sum.plus(&self.select(row, digits.get(at)));
                (row, at) = (row + 1, at + self.apart);
            }
            if shift > 0 {
                sum = sum.doubled_times(DIGIT_BITS);
            }
        }
        sum
    }

    /// Returns the multiple for a secret digit from a row.
    #[inline(always)]
    pub(crate) fn select(&self, row: usize, digit: i32) -> Summand<P> {
        select(&self.rows[row], digit)
    }
}

/// Returns the multiple for a secret digit. It reads all sixteen entries of the row, and selects one by masks.
#[inline(never)]
pub(crate) fn select<P: Pairs>(row: &[Entry<P>; ROW], digit: i32) -> Summand<P> {
    let sign = digit >> 31;
    let size = P::Words::secret((digit ^ sign) - sign);
    let mut found = Entry::neutral().only(P::if_equal(size, 0));
    for (entry, multiple) in row.iter().zip(1..) {
        found = found.join(&entry.only(P::if_equal(size, multiple)));
    }
    found.summand().negated_if(P::if_equal(P::Words::secret(sign), -1))
}

/// Odd multiples 1 to 31 of one point, in rows, for public scalars.
pub(crate) struct OddTable<P = Native>(Vec<Row<P>>);

impl<P: Pairs> OddTable<P> {
    pub(crate) fn new(point: &Point<P>) -> Self {
        Self::with_rows(point, ROWS)
    }

    /// Computes only the first `count` rows of the table. The first row has the odd multiples of the point itself.
    #[inline(never)]
    pub(crate) fn with_rows(point: &Point<P>, count: usize) -> Self {
        Self(rows(point, &Rows { count, bits: ROW_BITS, step: Point::doubled }))
    }

    /// Returns the sparse digits of a scalar for tables of this type.
    pub(crate) fn places(scalar: &[u8; 32]) -> [i8; PLACES] {
        sparse(scalar, WIDTH)
    }

    /// Adds the multiple for an odd digit in a row. Adds nothing for 0.
    #[inline(never)]
    pub(crate) fn add(&self, sum: &mut Point<P>, row: usize, digit: i8) {
        if digit != 0 {
            let summand = self.0[row][usize::from(digit.unsigned_abs() / 2)].summand();
            *sum = sum.plus(&if digit < 0 { summand.negated() } else { summand });
        }
    }
}

/// Returns the difference of public multiples of the points of two tables, in variable time.
pub(crate) fn difference<P: Pairs>(
    plus: (&OddTable<P>, &[u8; 32]),
    minus: (&OddTable<P>, &[u8; 32]),
) -> Point<P> {
    let (a, b) = (OddTable::<P>::places(plus.1), OddTable::<P>::places(minus.1));
    let mut sum = Point::neutral();
    for shift in (0..ROW_BITS).rev() {
        sum = sum.doubled();
        for (row, at) in (shift..PLACES).step_by(ROW_BITS).enumerate() {
            plus.0.add(&mut sum, row, a[at]);
            minus.0.add(&mut sum, row, -b[at]);
        }
    }
    sum
}
