//! Lanes as polynomials in unknowns. Code that runs on them computes for all numbers at once.
//!
//! Sums, differences and products are those of polynomials. The carry of x is a new unknown t, the same one
//! for every carry of x, and the low bits are x − 2¹³·t. In two's complement, a shift computes this carry,
//! and a mask these low bits. The result is thus exact if nothing overflows, which `interval` proves.

use super::{LANES, LIMB_BITS, Pairs, Words};
use core::array::from_fn;
use core::cell::RefCell;
use core::ops::{Add, Sub};
use std::collections::{BTreeMap, HashMap};
use std::thread_local;
use std::vec::Vec;

/// Number of an unknown. 0 is the constant 1.
type Unknown = u16;

/// Product of two unknowns, the smaller one first.
pub(crate) type Monomial = [Unknown; 2];

/// Nonzero coefficients by monomial.
pub(crate) type Polynomial = BTreeMap<Monomial, i64>;

/// Copyable reference to a polynomial: its index in `MADE`.
#[derive(Clone, Copy)]
pub(crate) struct Term(usize);

#[derive(Clone, Copy)]
pub(crate) struct SymbolicWords(pub(crate) [Term; LANES]);

#[derive(Clone, Copy)]
pub(crate) struct SymbolicPairs(pub(crate) [[Term; 2]; LANES]);

#[derive(Default)]
struct Made {
    polynomials: Vec<Polynomial>,
    unknowns: Unknown,
    carries: HashMap<(Vec<(Monomial, i64)>, u32), Term>,
}

thread_local! {
    static MADE: RefCell<Made> = RefCell::default();
}

impl Term {
    fn new(polynomial: Polynomial) -> Self {
        MADE.with_borrow_mut(|made| {
            made.polynomials.push(polynomial);
            Self(made.polynomials.len() - 1)
        })
    }

    fn constant(number: i64) -> Self {
        Self::of([([0, 0], number)])
    }

    /// Makes the sum of terms. Adds up the coefficients of repeated monomials.
    fn of(summands: impl IntoIterator<Item = (Monomial, i64)>) -> Self {
        let mut sum = Polynomial::new();
        for (monomial, factor) in summands {
            *sum.entry(monomial).or_default() += factor;
        }
        sum.retain(|_, factor| *factor != 0);
        Self::new(sum)
    }

    /// Makes a polynomial of one new unknown.
    pub(crate) fn unknown() -> Self {
        let unknown = MADE.with_borrow_mut(|made| {
            made.unknowns += 1;
            made.unknowns
        });
        Self::of([([0, unknown], 1)])
    }

    pub(crate) fn polynomial(self) -> Polynomial {
        MADE.with_borrow(|made| made.polynomials[self.0].clone())
    }

    fn plus(self, other: Self) -> Self {
        Self::of(self.polynomial().into_iter().chain(other.polynomial()))
    }

    fn minus(self, other: Self) -> Self {
        self.plus(other.times(Self::constant(-1)))
    }

    fn times(self, other: Self) -> Self {
        let (left, right) = (self.polynomial(), other.polynomial());
        Self::of(left.iter().flat_map(|(&a, m)| right.iter().map(move |(&b, n)| (joined(a, b), m * n))))
    }

    /// Divides by a power of two, and rounds down.
    fn shifted_right(self, bits: u32) -> Self {
        let key = (self.polynomial().into_iter().collect(), bits);
        let known = MADE.with_borrow(|made| made.carries.get(&key).copied());
        known.unwrap_or_else(|| {
            let carry = Self::unknown();
            MADE.with_borrow_mut(|made| made.carries.insert(key, carry));
            carry
        })
    }

    /// Returns the remainder of [`Self::shifted_right`].
    fn low(self, bits: u32) -> Self {
        self.minus(self.shifted_right(bits).times(Self::constant(1 << bits)))
    }
}

/// Multiplies two monomials that have at most two unknowns in total.
fn joined(a: Monomial, b: Monomial) -> Monomial {
    match (a, b) {
        ([0, 0], other) | (other, [0, 0]) => other,
        ([0, x], [0, y]) => [x.min(y), x.max(y)],
        _ => panic!("a product of more than two unknowns"),
    }
}

impl SymbolicWords {
    fn map(self, f: impl Fn(Term) -> Term) -> Self {
        Self(self.0.map(f))
    }
}

impl Words for SymbolicWords {
    type Pairs = SymbolicPairs;

    fn splat(number: i32) -> Self {
        Self([Term::constant(number.into()); LANES])
    }

    fn to_array(self) -> [i32; LANES] {
        panic!("unknown numbers")
    }

    fn carry(self) -> Self {
        self.map(|term| term.shifted_right(LIMB_BITS))
    }

    fn rest(self) -> Self {
        self.map(|term| term.low(LIMB_BITS))
    }

    fn shift_8(self) -> Self {
        self.map(|term| term.shifted_right(8))
    }

    fn low_8(self) -> Self {
        self.map(|term| term.low(8))
    }

    fn times(self, factor: i32) -> Self {
        self.map(|term| term.times(Term::constant(factor.into())))
    }

    fn short_times(self, factor: i16) -> Self {
        self.times(factor.into())
    }

    fn pair_with(self, high: Self) -> SymbolicPairs {
        SymbolicPairs(from_fn(|lane| [self.0[lane], high.0[lane]]))
    }
}

impl SymbolicPairs {
    fn zip(self, other: Self, f: impl Fn(Term, Term) -> Term) -> Self {
        Self(from_fn(|lane| from_fn(|half| f(self.0[lane][half], other.0[lane][half]))))
    }
}

impl Pairs for SymbolicPairs {
    type Words = SymbolicWords;
    /// Mask without a value, because symbolic lanes cannot make choices.
    type Mask = ();

    fn new(pairs: [[i16; 2]; LANES]) -> Self {
        Self(pairs.map(|pair| pair.map(|half| Term::constant(half.into()))))
    }

    fn low(self) -> SymbolicWords {
        SymbolicWords(self.0.map(|[low, _]| low))
    }

    fn high(self) -> SymbolicWords {
        SymbolicWords(self.0.map(|[_, high]| high))
    }

    fn dot(self, other: Self) -> SymbolicWords {
        let product = |lane: usize, half: usize| self.0[lane][half].times(other.0[lane][half]);
        SymbolicWords(from_fn(|lane| product(lane, 0).plus(product(lane, 1))))
    }

    fn swapped(self) -> Self {
        Self(self.0.map(|[low, high]| [high, low]))
    }

    fn low_with_high_of(self, other: Self) -> Self {
        Self(from_fn(|lane| [self.0[lane][0], other.0[lane][1]]))
    }

    fn lanes<const A: usize, const B: usize, const C: usize, const D: usize>(self, other: Self) -> Self {
        Self([A, B, C, D].map(|lane| if lane < LANES { self.0[lane] } else { other.0[lane - LANES] }))
    }

    fn scaled(self, factors: [i16; LANES]) -> Self {
        let scaled = |lane: usize| self.0[lane].map(|half| half.times(Term::constant(factors[lane].into())));
        Self(from_fn(scaled))
    }

    fn if_equal(_: SymbolicWords, _: i32) {
        panic!("unknown numbers")
    }

    fn or_else(self, (): (), _: Self) -> Self {
        panic!("unknown numbers")
    }

    fn only(self, (): ()) -> Self {
        panic!("unknown numbers")
    }

    fn join(self, _: Self) -> Self {
        panic!("unknown numbers")
    }
}

impl Add for SymbolicWords {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane].plus(other.0[lane])))
    }
}

impl Sub for SymbolicWords {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(from_fn(|lane| self.0[lane].minus(other.0[lane])))
    }
}

impl Add for SymbolicPairs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, Term::plus)
    }
}

impl Sub for SymbolicPairs {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, Term::minus)
    }
}
