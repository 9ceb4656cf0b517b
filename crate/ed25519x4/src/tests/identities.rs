//! Proves that products are correct, by running the code itself on unknowns instead of numbers.
//!
//! The results are polynomials in the operands' limbs and in the carries. Modulo p every carry must cancel, and the
//! rest must be the schoolbook product, coefficient by coefficient. Then the product is correct for all numbers and
//! all carries. A lane is a polynomial only if it does not overflow, which `bounds` proves.

use crate::check::reference::Number;
use crate::field::{Field4, LIMBS};
use crate::freeze::carried;
use crate::lanes::Words as _;
use crate::lanes::symbolic::{Monomial, SymbolicPairs, SymbolicWords, Term};
use core::array::from_fn;
use std::collections::BTreeMap;
use std::vec::Vec;

type Unknowns = Field4<SymbolicPairs>;

/// Value of limbs in radix 2¹³: the coefficient modulo p of each monomial, without zeros.
type Value = BTreeMap<Monomial, Number>;

fn unknown() -> Unknowns {
    Field4(from_fn(|_| SymbolicPairs(from_fn(|_| from_fn(|_| Term::unknown())))))
}

fn limbs(element: &Unknowns, lane: usize) -> Vec<Term> {
    element.0.iter().flat_map(|pairs| pairs.0[lane]).collect()
}

fn value(limbs: &[Term]) -> Value {
    let mut coefficients = BTreeMap::<Monomial, Vec<i64>>::new();
    for (at, limb) in limbs.iter().enumerate() {
        for (monomial, factor) in limb.polynomial() {
            coefficients.entry(monomial).or_insert_with(|| [0].repeat(limbs.len()))[at] = factor;
        }
    }
    let numbers = coefficients.into_iter().map(|(monomial, each)| (monomial, Number::of_limbs(&each)));
    numbers.filter(|&(_, number)| number != Number::ZERO).collect()
}

/// Returns the schoolbook product Σ aᵢ·bⱼ·2¹³⁽ⁱ⁺ʲ⁾.
fn schoolbook(a: &[Term], b: &[Term]) -> Value {
    let mut sum = Value::new();
    for (monomial, left) in value(a) {
        for (other, right) in value(b) {
            let ([0, x], [0, y]) = (monomial, other) else { panic!("not an unknown") };
            let place = sum.entry([x.min(y), x.max(y)]).or_insert(Number::ZERO);
            *place = place.plus(left.times(right));
        }
    }
    sum
}

#[test]
fn a_product_is_the_product_of_any_numbers() {
    let (a, b) = (unknown(), unknown());
    let product = a.times(&b);
    for lane in 0..4 {
        let expected = schoolbook(&limbs(&a, lane), &limbs(&b, lane));
        assert_eq!(expected.len(), LIMBS * LIMBS);
        assert_eq!(value(&limbs(&product, lane)), expected);
    }
}

#[test]
fn a_square_is_the_square_of_any_number() {
    let a = unknown();
    let square = a.square();
    for lane in 0..4 {
        let limbs_of_a = limbs(&a, lane);
        assert_eq!(value(&limbs(&square, lane)), schoolbook(&limbs_of_a, &limbs_of_a));
    }
}

#[test]
fn carrying_for_a_frozen_number_keeps_it() {
    let before: [SymbolicWords; LIMBS] = from_fn(|_| SymbolicWords(from_fn(|_| Term::unknown())));
    let mut after = before;
    // Add the part above 2²⁵⁵ 19-fold, because 2²⁵⁵ ≡ 19 modulo p.
    let above = carried(&mut after);
    let lost = lane(&after, 0);
    after[0] = after[0] + above.times(19);
    assert_eq!(value(&lane(&after, 0)), value(&lane(&before, 0)));
    // Test that the proof detects a lost carry.
    assert_ne!(value(&lost), value(&lane(&before, 0)));
}

fn lane(limbs: &[SymbolicWords; LIMBS], lane: usize) -> Vec<Term> {
    limbs.iter().map(|words| words.0[lane]).collect()
}
