//! Points of the curve, one coordinate in each lane.
//!
//! A [`Point`] (x, y) is (X, Y, T, Z) with x = X/Z, y = Y/Z and x·y = T/Z: the extended coordinates of Hisil, Wong, Carter,
//! Dawson, "Twisted Edwards Curves Revisited" (2008). With their formulas for a = −1, an addition (§3.1) and a doubling
//! (§3.3) take two rounds of four independent products each, which suits four lanes. The addition is complete: the neutral
//! point, equal points and opposite points are no exceptions, so there is no branch.
//!
//! # Bounds
//! In terms of [`crate::field`]: all coordinates of a [`Point`] and a [`Summand`] are reduced (1-fold), because they
//! are products or constants. The comments in the formulas state the bounds of the factors. `tests::bounds` runs the
//! formulas on intervals.

use crate::constants::D2;
use crate::field::{Field4, small};
use crate::lanes::{Native, Pairs};

/// Point with the lanes X, Y, T, Z.
#[derive(Clone, Copy)]
pub(crate) struct Point<P = Native>(pub(crate) Field4<P>);

/// A point prepared as the second operand of an addition, with the lanes Y−X, Y+X, 2d·T, 2·Z.
#[derive(Clone, Copy)]
pub(crate) struct Summand<P = Native>(pub(crate) Field4<P>);

impl<P: Pairs> Point<P> {
    /// Returns the neutral point (0, 1).
    pub(crate) fn neutral() -> Self {
        Self(Field4::small([0, 1, 0, 1]))
    }

    /// Adds another point.
    ///
    /// A = (Y−X)·(Y′−X′), B = (Y+X)·(Y′+X′), C = T·2d·T′, D = Z·2·Z′, E = B−A, F = D−C, G = D+C, H = B+A;
    /// X = E·F, Y = G·H, T = E·H, Z = F·G.
    #[inline(never)]
    pub(crate) fn plus(&self, other: &Summand<P>) -> Self {
        // Compute A, B, C, D. The factors are 2-fold and 1-fold.
        let products = self.differences().times(&other.0);
        // Compute E, H, F, G. They are 2-fold.
        let sums =
            products.map(|of| of.lanes::<1, 1, 3, 3>(of) + of.lanes::<0, 0, 2, 2>(of).scaled([-1, 1, -1, 1]));
        Self::of_sums(&sums)
    }

    /// Doubles the point.
    ///
    /// A = X², B = Y², C = 2·Z², E = −2·X·Y, F = A−B+C, G = A−B, H = A+B. E to H are those of the paper, negated. The
    /// products X = E·F, Y = G·H, T = E·H, Z = F·G are the same. The formula does not need the T of the operand.
    #[inline(never)]
    pub(crate) fn doubled(&self) -> Self {
        // Compute A, B, C, E. The factors are 1-fold and 2-fold.
        let right = self.0.lanes::<0, 1, 3, 1>().scaled([1, 1, 2, -2]);
        let products = self.0.lanes::<0, 1, 3, 0>().times(&right);
        // Compute E, H, F, G. They are 1-, 2-, 3- and 2-fold.
        let sums = products.map(|of| {
            of.lanes::<3, 0, 0, 0>(of)
                + of.lanes::<1, 1, 1, 1>(of).scaled([0, 1, -1, -1])
                + of.scaled([0, 0, 1, 0])
        });
        Self::of_sums(&sums)
    }

    /// Makes the point from E, H, F, G. After a doubling, F·G is 3-fold times 2-fold, the largest bounds of all.
    #[inline(always)]
    fn of_sums(sums: &Field4<P>) -> Self {
        Self(sums.lanes::<0, 3, 0, 2>().times(&sums.lanes::<2, 1, 1, 3>()))
    }

    #[inline(never)]
    pub(crate) fn doubled_times(&self, times: usize) -> Self {
        (0..times).fold(*self, |point, _| point.doubled())
    }

    /// Returns Y−X, Y+X, T, Z. The lanes are 2-, 2-, 1- and 1-fold.
    #[inline(always)]
    pub(crate) fn differences(&self) -> Field4<P> {
        self.0.map(|of| of.lanes::<1, 1, 2, 3>(of) + of.lanes::<0, 0, 2, 3>(of).scaled([-1, 1, 0, 0]))
    }

    /// Returns the point in the form of a second operand.
    #[inline(never)]
    pub(crate) fn summand(&self) -> Summand<P> {
        Summand(self.differences().times(&Field4::new(&[small(1), small(1), D2, small(2)])))
    }

    /// Returns true if the point is (0, 1). In variable time, so it must not be used for secrets.
    pub(crate) fn is_neutral(&self) -> bool {
        let zero = Field4::small([0; 4]);
        // Compute X and Y − Z, which are both zero for the neutral point.
        let parts = self.0.lanes_of::<0, 1, 4, 4>(&zero) - self.0.lanes_of::<4, 3, 4, 4>(&zero);
        let parts = parts.freeze();
        parts.is_zero(0) && parts.is_zero(1)
    }
}

impl<P: Pairs> Summand<P> {
    /// Returns the negated point: −(x, y) = (−x, y).
    #[inline(always)]
    pub(crate) fn negated(&self) -> Self {
        Self(self.0.map(|of| of.lanes::<1, 0, 2, 3>(of).scaled([1, 1, -1, 1])))
    }

    /// Negates the point where the mask is set, in constant time.
    #[inline(always)]
    pub(crate) fn negated_if(&self, mask: P::Mask) -> Self {
        Self(self.0.zip(&self.negated().0, |own, negated| negated.or_else(mask, own)))
    }
}
