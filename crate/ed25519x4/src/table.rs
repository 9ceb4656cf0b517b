//! Multiples of one point, computed once, for public and for secret scalars.
//!
//! A table has 26 rows of 16 entries ([`crate::entry`]): row i is about 2¹⁰ⁱ·P. Scalars are below 2²⁵³.
//!
//! - [`Table`], for secret ones, holds the multiples 1 to 16 in each row. The scalar is Σ dᵢ·32ⁱ with 51 digits from
//!   −16 to 15 ([`Digits`]). The odd digits are looked up in rows 0 to 24 and summed, the sum is doubled five times,
//!   and the even digits, looked up in rows 0 to 25, are added: 51 additions and 5 doublings, whatever the scalar
//!   (Bernstein, Duif, Lange, Schwabe, Yang, "High-speed high-security signatures", §4).
//! - [`OddTable`], for public ones, holds the odd multiples 1 to 31. The scalar is Σ dⱼ·2ʲ with every seventh dⱼ, on
//!   average, not 0 ([`sparse`]). Place j = 10·i + s is looked up in row i. All with s = 9 are summed, the sum is
//!   doubled, those with s = 8 are added, and so on: some 36 additions for a scalar, and 9 doublings for any number
//!   of them.

use crate::digits::{DIGIT_BITS, DIGITS, Digits, PLACES, sparse};
use crate::entry::{Entry, ROW, ROW_BITS, ROWS, Row, rows};
use crate::lanes::{Native, Pairs, Words as _};
use crate::point::{Point, Summand};
use alloc::vec::Vec;

/// How many bytes of memory a table takes.
pub(crate) const BYTES: usize = ROWS * size_of::<Row<Native>>();

/// Odd digits below 32 in size.
const WIDTH: usize = 6;

/// The multiples 1 to 16 of one point.
pub(crate) struct Table<P = Native>(Vec<Row<P>>);

impl<P: Pairs> Table<P> {
    /// The table of a point.
    pub(crate) fn new(point: &Point<P>) -> Self {
        Self(rows(point, |first| *first))
    }

    /// A secret multiple of the point, in constant time.
    #[inline(never)]
    pub(crate) fn times_secret(&self, scalar: &[u8; 32]) -> Point<P> {
        let digits = Digits::new(scalar);
        let mut sum = Point::neutral();
        for at in (1..DIGITS).step_by(2) {
            sum = sum.plus(&self.select(at / 2, digits.get(at)));
        }
        sum = sum.doubled_times(DIGIT_BITS);
        for at in (0..DIGITS).step_by(2) {
            sum = sum.plus(&self.select(at / 2, digits.get(at)));
        }
        sum
    }

    /// What a secret digit asks for of a row.
    #[inline(always)]
    pub(crate) fn select(&self, row: usize, digit: i32) -> Summand<P> {
        select(&self.0[row], digit)
    }
}

/// The multiple that a secret digit asks for: all sixteen entries are read, and masks keep one.
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

/// The odd multiples 1 to 31 of one point.
pub(crate) struct OddTable<P = Native>(Vec<Row<P>>);

impl<P: Pairs> OddTable<P> {
    /// The table of a point.
    pub(crate) fn new(point: &Point<P>) -> Self {
        Self(rows(point, Point::doubled))
    }

    /// The places of a scalar, as far as they concern these tables.
    pub(crate) fn places(scalar: &[u8; 32]) -> [i8; PLACES] {
        sparse(scalar, WIDTH)
    }

    /// The sum with what a digit asks for of a row: an odd multiple, or nothing for 0.
    #[inline(never)]
    pub(crate) fn add(&self, sum: &mut Point<P>, row: usize, digit: i8) {
        if digit != 0 {
            let summand = self.0[row][usize::from(digit.unsigned_abs() / 2)].summand();
            *sum = sum.plus(&if digit < 0 { summand.negated() } else { summand });
        }
    }
}

/// The difference of public multiples of the points of two tables, in variable time.
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
