//! Points of the curve, a coordinate in each lane.
//!
//! A [`Point`] (x, y) is (X, Y, T, Z) with x = X/Z, y = Y/Z and x·y = T/Z: the extended coordinates of Hisil, Wong,
//! Carter, Dawson, "Twisted Edwards Curves Revisited" (2008). Their formulas for a = −1 take two rounds of four
//! products that do not depend on each other, for an addition (§3.1) as for a doubling (§3.3): that is what four
//! lanes are for. The addition is complete: there is no exception, so no branch, for the neutral point, equal or
//! opposite ones.
//!
//! # Bounds
//! In terms of [`crate::field`]: all coordinates of a [`Point`] and a [`Summand`] are reduced (1-fold), being products
//! or constants. What the two formulas multiply is written beside every line. `tests::bounds` runs them on intervals.

use crate::constants::D2;
use crate::field::{Field4, small};
use crate::lanes::{Native, Pairs};

/// The lanes X, Y, T, Z.
#[derive(Clone, Copy)]
pub(crate) struct Point<P = Native>(pub(crate) Field4<P>);

/// A point as the second operand of an addition: the lanes Y−X, Y+X, 2d·T, 2·Z.
#[derive(Clone, Copy)]
pub(crate) struct Summand<P = Native>(pub(crate) Field4<P>);

impl<P: Pairs> Point<P> {
    /// (0, 1).
    pub(crate) fn neutral() -> Self {
        Self(Field4::small([0, 1, 0, 1]))
    }

    /// Another point more.
    ///
    /// A = (Y−X)·(Y′−X′), B = (Y+X)·(Y′+X′), C = T·2d·T′, D = Z·2·Z′, E = B−A, F = D−C, G = D+C, H = B+A;
    /// X = E·F, Y = G·H, T = E·H, Z = F·G.
    #[inline(never)]
    pub(crate) fn plus(&self, other: &Summand<P>) -> Self {
        // 2-fold times 1-fold: A, B, C, D.
        let products = self.differences().times(&other.0);
        // 2-fold: E, H, F, G.
        let sums =
            products.map(|of| of.lanes::<1, 1, 3, 3>(of) + of.lanes::<0, 0, 2, 2>(of).scaled([-1, 1, -1, 1]));
        Self::of_sums(&sums)
    }

    /// The point added to itself.
    ///
    /// A = X², B = Y², C = 2·Z², E = −2·X·Y, F = A−B+C, G = A−B, H = A+B: the paper's E to H, negated, which leaves
    /// their products X = E·F, Y = G·H, T = E·H, Z = F·G as they are. T is not needed for it.
    #[inline(never)]
    pub(crate) fn doubled(&self) -> Self {
        // 1-fold times 2-fold: A, B, C, E.
        let right = self.0.lanes::<0, 1, 3, 1>().scaled([1, 1, 2, -2]);
        let products = self.0.lanes::<0, 1, 3, 0>().times(&right);
        // 1-, 2-, 3- and 2-fold: E, H, F, G.
        let sums = products.map(|of| {
            of.lanes::<3, 0, 0, 0>(of)
                + of.lanes::<1, 1, 1, 1>(of).scaled([0, 1, -1, -1])
                + of.scaled([0, 0, 1, 0])
        });
        Self::of_sums(&sums)
    }

    /// Of E, H, F, G: after a doubling F·G is 3-fold times 2-fold, which is as wide as it gets.
    #[inline(always)]
    fn of_sums(sums: &Field4<P>) -> Self {
        Self(sums.lanes::<0, 3, 0, 2>().times(&sums.lanes::<2, 1, 1, 3>()))
    }

    /// Doubled so many times.
    #[inline(never)]
    pub(crate) fn doubled_times(&self, times: usize) -> Self {
        (0..times).fold(*self, |point, _| point.doubled())
    }

    /// Y−X, Y+X, T, Z: 2-, 2-, 1- and 1-fold.
    #[inline(always)]
    pub(crate) fn differences(&self) -> Field4<P> {
        self.0.map(|of| of.lanes::<1, 1, 2, 3>(of) + of.lanes::<0, 0, 2, 3>(of).scaled([-1, 1, 0, 0]))
    }

    /// The same point, to be added to others.
    #[inline(never)]
    pub(crate) fn summand(&self) -> Summand<P> {
        Summand(self.differences().times(&Field4::new(&[small(1), small(1), D2, small(2)])))
    }

    /// Whether this is (0, 1). Not for secrets.
    pub(crate) fn is_neutral(&self) -> bool {
        let zero = Field4::small([0; 4]);
        // X, Y − Z
        let parts = self.0.lanes_of::<0, 1, 4, 4>(&zero) - self.0.lanes_of::<4, 3, 4, 4>(&zero);
        let parts = parts.freeze();
        parts.is_zero(0) && parts.is_zero(1)
    }
}

impl<P: Pairs> Summand<P> {
    /// −(x, y) = (−x, y).
    #[inline(always)]
    pub(crate) fn negated(&self) -> Self {
        Self(self.0.map(|of| of.lanes::<1, 0, 2, 3>(of).scaled([1, 1, -1, 1])))
    }

    /// Negated where the mask is set, in constant time.
    #[inline(always)]
    pub(crate) fn negated_if(&self, mask: P::Mask) -> Self {
        Self(self.0.zip(&self.negated().0, |own, negated| negated.or_else(mask, own)))
    }
}
