//! Checks points: for coordinates of any value against [`super::reference`], and on the curve against
//! curve25519-dalek.

use super::field::{REDUCED, assert_reduced};
use super::random::Random;
use super::reference::{Number, d2, double, sum};
use crate::base::{base, public_base, public_row};
use crate::digits::{DIGITS, Digits, sparse};
use crate::encoding::{decode, encode, encode_all};
use crate::field::{Field4, Limbs};
use crate::lanes::{LANES, Native};
use crate::point::{Point, Summand};
use crate::straus;
use crate::table::{self, OddTable, Table};
use alloc::vec::Vec;
use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::{EdwardsPoint, Scalar};

/// Checks `count` results of addition, doubling and conversion to a summand, for random and extreme limbs.
pub fn formulas(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count.div_ceil(3) {
        let [a, b] = [(); 2].map(|()| [(); LANES].map(|()| random.limbs(REDUCED)));
        let (x, y) = (a.map(|limbs| Number::of(&limbs)), b.map(|limbs| Number::of(&limbs)));
        let (point, summand) = (Point(Field4::new(&a)), Summand(Field4::new(&b)));
        assert_lanes(&point.plus(&summand).0, &sum(x, y), &a);
        assert_lanes(&point.doubled().0, &double(x), &a);
        let [nx, ny, t, z] = x;
        let expected = [ny.minus(nx), ny.plus(nx), t.times(d2()), z.plus(z)];
        assert_lanes(&point.summand().0, &expected, &a);
    }
}

fn assert_lanes(element: &Field4, expected: &[Number; LANES], from: &[Limbs; LANES]) {
    assert_reduced(element);
    let frozen = element.freeze();
    for (lane, number) in expected.iter().enumerate() {
        assert_eq!(frozen.bytes(lane), number.bytes(), "lane {lane} of {from:?}");
    }
}

/// Checks `count` multiples by every method of this crate, and their encodings, alone and in groups.
pub fn multiples(seed: u64, count: usize) {
    let mut random = Random(seed);
    let dalek = ED25519_BASEPOINT_POINT * scalar(&mut random);
    let point = decode::<Native>(&dalek.compress().0).unwrap_or(Point::neutral());
    let (secrets, public) =
        ([1, 6, 13, DIGITS].map(|apart| Table::new(&point, apart)), OddTable::new(&point));
    for _ in 0..count.div_ceil(8) {
        let scalars = [(); 8].map(|()| (scalar(&mut random), scalar(&mut random)));
        let points = scalars.map(|(a, b)| {
            let expected = (ED25519_BASEPOINT_POINT * a - dalek * b).compress().0;
            let (a, b) = (a.to_bytes(), b.to_bytes());
            let tables = table::difference((public_base(), &a), (&public, &b));
            assert_eq!(encode(&tables), expected, "{a:?} {b:?}");
            assert_eq!(encode(&straus::difference(public_row(), &a, &point, &b)), expected, "{a:?} {b:?}");
            let minus = (-Scalar::from_bytes_mod_order(b)).to_bytes();
            for secret in &secrets {
                let minus = secret.times_secret(&minus).summand();
                assert_eq!(encode(&base().times_secret(&a).plus(&minus)), expected, "{a:?} {b:?}");
            }
            tables
        });
        let some = &points[..random.below(9)];
        assert_eq!(encode_all(some), some.iter().map(encode).collect::<Vec<_>>());
    }
}

/// Returns a random scalar, often with extreme digits.
fn scalar(random: &mut Random) -> Scalar {
    let bytes = match random.below(8) {
        0 => [0x10; 32],
        1 => [0xff; 32],
        2 => [[0x00, 0x01, 0x0f, 0x84, 0x42, 0xf0][random.below(6)]; 32],
        _ => random.bytes(),
    };
    Scalar::from_bytes_mod_order(bytes) + Scalar::from(random.next() * (random.next() & 1))
}

/// Checks that the digits of `count` scalars add up to the scalar.
pub fn digits(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count {
        let scalar = scalar(&mut random);
        let bytes = scalar.to_bytes();
        let dense = Digits::new(&bytes);
        let horner = |sum: Scalar, radix: u64, digit: i32| {
            let size = Scalar::from(digit.unsigned_abs());
            sum * Scalar::from(radix) + if digit < 0 { -size } else { size }
        };
        assert_eq!((0..DIGITS).rev().fold(Scalar::ZERO, |sum, at| horner(sum, 32, dense.get(at))), scalar);
        let width = 5 + random.below(2);
        let places = sparse(&bytes, width);
        assert_eq!(
            places.iter().rev().fold(Scalar::ZERO, |sum, &digit| horner(sum, 2, digit.into())),
            scalar
        );
        assert!(places.windows(width).all(|window| window.iter().filter(|&&digit| digit != 0).count() <= 1));
    }
}

/// Checks `count` encodings, random ones and edge cases. They must decode if dalek accepts them as canonical.
pub fn encodings(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count {
        let bytes = encoding(&mut random);
        let dalek = curve25519_dalek::edwards::CompressedEdwardsY(bytes).decompress();
        let expected = dalek.filter(|point| point.compress().0 == bytes);
        let own = decode::<Native>(&bytes).ok();
        assert_eq!(own.as_ref().map(encode), expected.map(|_| bytes), "{bytes:?}");
        if let (Some(own), Some(expected)) = (own, expected) {
            assert_eq!(straus::is_torsion_free(&own), expected.is_torsion_free(), "{bytes:?}");
            assert_eq!(own.doubled_times(3).is_neutral(), expected.is_small_order(), "{bytes:?}");
        }
    }
}

fn encoding(random: &mut Random) -> [u8; 32] {
    let mut bytes = random.bytes();
    match random.below(6) {
        0 => bytes[1..].fill(0),
        1 => {
            bytes.fill(0xff);
            bytes[0] = random.next() as u8;
            bytes[31] = [0x7f, 0xff][random.below(2)];
        }
        2 => bytes = torsion(random).compress().0,
        3 => bytes = (ED25519_BASEPOINT_POINT * scalar(random) + torsion(random)).compress().0,
        4 => bytes = (ED25519_BASEPOINT_POINT * scalar(random)).compress().0,
        _ => {}
    }
    bytes
}

fn torsion(random: &mut Random) -> EdwardsPoint {
    EIGHT_TORSION[random.below(8)]
}
