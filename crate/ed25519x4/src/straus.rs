//! Sums of multiples without a table: the doublings are shared between the two (Straus, "Addition chains of vectors",
//! 1964). Everything here is public and in variable time.

use crate::constants::ORDER;
use crate::digits::{PLACES, sparse};
use crate::lanes::Pairs;
use crate::point::{Point, Summand};
use crate::table::Table;

/// The odd multiples 1, 3, … 15 of a point.
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

    /// The multiple that a digit asks for: odd, or 0 for none.
    fn find(&self, digit: i8) -> Option<Summand<P>> {
        let multiple = self.0[usize::from(digit.unsigned_abs() / 2)];
        match digit {
            0 => None,
            1.. => Some(multiple),
            _ => Some(multiple.negated()),
        }
    }
}

/// a·B − b·Q, where B comes with a table.
pub(crate) fn difference<P: Pairs>(base: &Table<P>, a: &[u8; 32], point: &Point<P>, b: &[u8; 32]) -> Point<P> {
    let (a, b, multiples) = (sparse(a), sparse(b), OddMultiples::new(point));
    let mut sum = Point::neutral();
    for at in (0..PLACES).rev().skip_while(|&at| a[at] == 0 && b[at] == 0) {
        sum = sum.doubled();
        for summand in [base.find_first(a[at]), multiples.find(-b[at])].iter().flatten() {
            sum = sum.plus(summand);
        }
    }
    sum
}

/// Whether ℓ·P is the neutral point: whether P has no component of small order.
pub(crate) fn is_torsion_free<P: Pairs>(point: &Point<P>) -> bool {
    let (order, multiples) = (sparse(&ORDER), OddMultiples::new(point));
    let mut sum = Point::neutral();
    for &digit in order.iter().rev().skip_while(|&&digit| digit == 0) {
        sum = sum.doubled();
        if let Some(summand) = multiples.find(digit) {
            sum = sum.plus(&summand);
        }
    }
    sum.is_neutral()
}
