//! Checks the field arithmetic against [`super::reference`].

use super::random::Random;
use super::reference::Number;
use crate::batch::invert_all;
use crate::field::{self, LIMBS, Limbs, limbs_of};
use crate::invert::invert;
use crate::lanes::{LANES, Native, Pairs as _, Words as _};

type Field4 = field::Field4<Native>;

/// Bound of a reduced limb in size: see [`crate::field`].
pub(crate) const REDUCED: i16 = 4100;

/// Bounds of the operands of a product, as pairs of multiples of the reduced bound.
const FOLDS: [(i16, i16); 6] = [(1, 1), (2, 2), (2, 3), (3, 2), (1, 6), (6, 1)];

/// Checks `count` products of random and extreme elements, four at a time.
pub fn products(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count / LANES {
        let (m, n) = FOLDS[random.below(FOLDS.len())];
        let a = [(); LANES].map(|()| random.limbs(m * REDUCED));
        let b = [(); LANES].map(|()| random.limbs(n * REDUCED));
        let product = Field4::new(&a).times(&Field4::new(&b));
        assert_reduced(&product);
        let frozen = product.freeze();
        for lane in 0..LANES {
            let expected = Number::of(&a[lane]).times(Number::of(&b[lane]));
            assert_eq!(frozen.bytes(lane), expected.bytes(), "{:?} times {:?}", a[lane], b[lane]);
        }
    }
}

/// Checks `count` sums and differences, and the canonical bytes of each.
pub fn sums(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count / LANES {
        let [a, b] = [(); 2].map(|()| [(); LANES].map(|()| random.limbs(3 * REDUCED)));
        let (a4, b4) = (Field4::new(&a), Field4::new(&b));
        let (sum, difference) = ((a4 + b4).freeze(), (a4 - b4).freeze());
        for lane in 0..LANES {
            let (x, y) = (Number::of(&a[lane]), Number::of(&b[lane]));
            assert_eq!(sum.bytes(lane), x.plus(y).bytes(), "{:?} plus {:?}", a[lane], b[lane]);
            assert_eq!(difference.bytes(lane), x.minus(y).bytes(), "{:?} minus {:?}", a[lane], b[lane]);
        }
    }
}

/// Checks the canonical bytes of ±2ⁿ + k, for n from 0 to 259 and k from −40 to 40. Among them are all
/// numbers near 0, p and 2p, which are edge cases of [`Field4::freeze`].
pub fn edges() {
    for bit in 0..LIMBS * 13 {
        for off in -40..=40_i16 {
            for sign in [1, -1] {
                let mut limbs = [0; LIMBS];
                limbs[bit / 13] = sign << (bit % 13);
                limbs[0] += off;
                let expected = Number::of(&limbs);
                let frozen = Field4::splat(&limbs).freeze();
                assert_eq!(frozen.bytes(3), expected.bytes(), "{sign}·2^{bit} + {off}");
                assert_eq!(Number::of(&limbs_of(&expected.bytes())), expected);
            }
        }
    }
}

/// Checks `count` inversions, one at a time and eight at a time in four lanes.
pub fn inversions(seed: u64, count: usize) {
    let mut random = Random(seed);
    assert_eq!(invert(&[0; 32]), [0; 32]);
    for _ in 0..count / 33 {
        let elements = [(); 8].map(|()| [(); LANES].map(|()| nonzero(&mut random)));
        let mut inverses = elements.map(|lanes| Field4::new(&lanes));
        invert_all(&mut inverses);
        for (lanes, inverses) in elements.iter().zip(&inverses) {
            for (lane, limbs) in lanes.iter().enumerate() {
                assert_inverse(limbs, &inverses.freeze().bytes(lane));
            }
        }
        assert_inverse(&elements[0][0], &invert(&Number::of(&elements[0][0]).bytes()));
    }
}

fn nonzero(random: &mut Random) -> Limbs {
    let mut limbs = random.limbs(REDUCED);
    if Number::of(&limbs) == Number::ZERO {
        limbs[0] += 1;
    }
    limbs
}

fn assert_inverse(limbs: &Limbs, inverse: &[u8; 32]) {
    let product = Number::of(limbs).times(Number::of(&limbs_of(inverse)));
    assert_eq!(product, Number::small(1), "{limbs:?}");
}

pub(crate) fn assert_reduced(element: &Field4) {
    let fits = |word: i32| (-i32::from(REDUCED)..=i32::from(REDUCED)).contains(&word);
    for vector in element.0 {
        assert!(
            vector.low().to_array().into_iter().all(fits) && vector.high().to_array().into_iter().all(fits)
        );
    }
}
