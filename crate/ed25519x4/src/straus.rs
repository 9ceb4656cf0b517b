//! Computes multiples of points that have no table, alone or subtracted from a multiple of the base point.
//! The two multiples share the doublings (Straus, "Addition chains of vectors", 1964). All inputs are public,
//! and all functions run in variable time.

use crate::constants::ORDER;
use crate::digits::{PLACES, sparse};
use crate::lanes::Pairs;
use crate::point::{Point, Summand};
use crate::table::OddTable;

/// Multiples 1, 3, … 15 of a point.
struct OddMultiples<P>([Summand<P>; 8]);

impl<P: Pairs> OddMultiples<P> {
    fn new(point: &Point<P>) -> Self {
        let twice = point.doubled().summand();
        let mut multiples = [point.summand(); 8];
        let mut last = *point;
        for multiple in &mut multiples[1..] {
            last = last.plus(&twice);
            *multiple = last.summand();
        }
        Self(multiples)
    }

    /// Adds the multiple for an odd digit. Adds nothing for 0.
    #[inline(never)]
    fn add(&self, sum: &mut Point<P>, digit: i8) {
        let multiple = &self.0[usize::from(digit.unsigned_abs() / 2)];
        match digit {
            0 => {}
            1.. => *sum = sum.plus(multiple),
            _ => *sum = sum.plus(&multiple.negated()),
        }
    }
}

/// Width of the digits, which are odd and below 16 in size. More multiples would take longer than they save.
const WIDTH: usize = 5;

/// Returns a·B − b·Q, where Q is `point`. `base` needs only the first row of B's table.
pub(crate) fn difference<P: Pairs>(
    base: &OddTable<P>,
    a: &[u8; 32],
    point: &Point<P>,
    b: &[u8; 32],
) -> Point<P> {
    let (a, b, multiples) = (OddTable::<P>::places(a), sparse(b, WIDTH), OddMultiples::new(point));
    let mut sum = Point::neutral();
    for at in (0..PLACES).rev().skip_while(|&at| a[at] == 0 && b[at] == 0) {
        sum = sum.doubled();
        base.add(&mut sum, 0, a[at]);
        multiples.add(&mut sum, -b[at]);
    }
    sum
}

/// Returns true if ℓ·P is the neutral point, which means that P has no component of small order.
pub(crate) fn is_torsion_free<P: Pairs>(point: &Point<P>) -> bool {
    let (order, multiples) = (sparse(&ORDER, WIDTH), OddMultiples::new(point));
    let mut sum = Point::neutral();
    for &digit in order.iter().rev().skip_while(|&&digit| digit == 0) {
        sum = sum.doubled();
        multiples.add(&mut sum, digit);
    }
    sum.is_neutral()
}
