//! Proves that no lane overflows, by running the code itself on ranges instead of numbers.
//!
//! All operands are assumed to be *reduced* or n-fold in the sense of [`crate::field`], with limbs as wide as
//! allowed. Every operation panics if a result might not fit, and every product is reduced again. By
//! induction, no lane ever overflows.

use crate::batch::invert_all;
use crate::check::field::REDUCED;
use crate::constants::{D, D2, ROOT_OF_MINUS_ONE};
use crate::encoding::{Candidate, from_affine, gathered_z};
use crate::entry::{Entry, ROW, row};
use crate::field::{Field4, LIMBS, limbs_of};
use crate::lanes::interval::{IntervalPairs, Range};
use crate::point::{Point, Summand};
use crate::table::select;
use std::vec::Vec;

type Ranges = Field4<IntervalPairs>;

/// Returns an element with all limbs in the range of n times the reduced bound.
fn fold(n: i64) -> Ranges {
    let bound = n * i64::from(REDUCED);
    Field4([IntervalPairs([[Range(-bound, bound); 2]; 4]); 10])
}

fn limbs(element: &Ranges, lane: usize) -> Vec<Range> {
    element.0.iter().flat_map(|pairs| pairs.0[lane]).collect()
}

#[track_caller]
fn assert_within(element: &Ranges, n: i64) {
    let bound = n * i64::from(REDUCED);
    for lane in 0..4 {
        for range in limbs(element, lane) {
            assert!(range.is_within(Range(-bound, bound)), "{range:?} in lane {lane}");
        }
    }
}

#[test]
fn a_product_is_reduced() {
    for (m, n) in [(1, 1), (1, 6), (2, 3), (3, 2), (6, 1)] {
        let product = fold(m).times(&fold(n));
        assert_within(&product, 1);
        for (at, range) in limbs(&product, 0).into_iter().enumerate() {
            let slack = if at == 2 { 3 } else { 0 };
            assert!(range.is_within(Range(-4096 - slack, 4095 + slack)), "limb {at}: {range:?}");
        }
    }
}

/// Tests that the proof detects an overflow.
#[test]
#[should_panic(expected = "does not fit in 32 bits")]
fn a_product_of_too_much_is_seen() {
    let _ = fold(2).times(&fold(4));
}

#[test]
fn points_stay_reduced() {
    let (point, summand) = (Point(fold(1)), Summand(fold(1)));
    assert_within(&point.plus(&summand).0, 1);
    assert_within(&point.doubled().0, 1);
    assert_within(&point.summand().0, 1);
    assert_within(&summand.negated().0, 1);
    assert_within(&summand.negated_if(()).0, 1);
    assert_within(&point.differences(), 2);
}

#[test]
fn entries_stay_reduced() {
    for entry in row(&[Point(fold(1)); ROW], &[fold(1); ROW / 4]) {
        assert_within(&entry.summand().0, 1);
    }
    let entries = [Entry::new(&fold(1)); ROW];
    assert_within(&select(&entries, -16).0, 1);
}

#[test]
fn inverses_of_lanes_are_products() {
    let mut elements = [fold(1); 3];
    invert_all(&mut elements);
    elements.iter().for_each(|inverse| assert_within(inverse, 1));
    assert_within(&gathered_z(&[Point(fold(1)); 3]), 1);
}

#[test]
fn a_root_stays_reduced() {
    let Candidate { x, less, more } = Candidate::new(&fold(1));
    assert_within(&x, 1);
    assert_within(&less, 3);
    assert_within(&more, 3);
    assert_within(&from_affine(&x.scaled([-1; 4]), &fold(1)).0, 1);
}

#[test]
fn freezing_takes_seven_fold_elements() {
    let _ = fold(7).freeze();
}

#[test]
fn constants_and_bytes_are_reduced() {
    let extremes = [[0; 32], [0xff; 32], [0x55; 32], [0xaa; 32]].map(|bytes| limbs_of(&bytes));
    for limbs in [D, D2, ROOT_OF_MINUS_ONE].iter().chain(&extremes) {
        assert!(limbs.iter().all(|limb| (-4096..4096).contains(limb)), "{limbs:?}");
        assert!((0..=256).contains(&limbs[LIMBS - 1]));
    }
}
