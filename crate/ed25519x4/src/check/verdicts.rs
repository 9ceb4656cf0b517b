//! Checks verdicts against ed25519-dalek's `verify_strict`, for valid signatures and every kind of invalid ones.

use super::random::Random;
use crate::hash::scalar_of;
use crate::{Claim, KeyError, KeyTable, SigningKey, Under, VerifyingKey, verify_many};
use alloc::vec::Vec;
use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::{EdwardsPoint, Scalar};
use ed25519_dalek::{Signature, Signer as _, Verifier as _};

const KEYS: usize = 16;
const GROUP: usize = 64;
const MESSAGE: usize = 40;

/// A key pair with its secret scalar.
struct Pair {
    signing: SigningKey,
    secret: Scalar,
    verifying: VerifyingKey,
    table: KeyTable,
    dalek: ed25519_dalek::VerifyingKey,
}

impl Pair {
    fn new(seed: [u8; 32]) -> Self {
        let signing = SigningKey::from_bytes(&seed);
        let secret = ed25519_dalek::SigningKey::from_bytes(&seed).to_scalar();
        let verifying = signing.verifying_key();
        let dalek = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key();
        Self { table: verifying.table(), signing, secret, verifying, dalek }
    }

    /// Makes a signature with an R that differs by `add` from the point of the nonce.
    fn sign_with(&self, message: &[u8], nonce: Scalar, add: EdwardsPoint) -> [u8; 64] {
        let r = (ED25519_BASEPOINT_POINT * nonce + add).compress().0;
        let k = scalar_of(&[&r, self.verifying.as_bytes(), message]);
        joined(r, (nonce + k * self.secret).to_bytes())
    }
}

fn joined(r: [u8; 32], s: [u8; 32]) -> [u8; 64] {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&r);
    signature[32..].copy_from_slice(&s);
    signature
}

/// A claimed signature, with the index of its key.
struct Case {
    key: usize,
    message: [u8; MESSAGE],
    signature: Signature,
}

/// Checks `count` crafted signatures: each alone, with and without a table, and all in groups in random order.
pub fn verdicts(seed: u64, count: usize) {
    let mut random = Random(seed);
    let pairs: Vec<_> = (0..KEYS).map(|_| Pair::new(random.bytes())).collect();
    let (mut good, mut bad) = (0, 0);
    for _ in 0..count.div_ceil(GROUP) {
        let cases: Vec<_> = (0..GROUP).map(|_| case(&pairs, &mut random)).collect();
        let expected: Vec<_> = cases.iter().map(|case| verify_strict(&pairs, case)).collect();
        good += expected.iter().filter(|&&verdict| verdict).count();
        bad += expected.iter().filter(|&&verdict| !verdict).count();
        for (case, &expected) in cases.iter().zip(&expected) {
            let (message, signature, pair) = (&case.message, &case.signature, &pairs[case.key]);
            assert_eq!(pair.verifying.verify(message, signature).is_ok(), expected, "{signature:?}");
            assert_eq!(pair.table.verify(message, signature).is_ok(), expected, "{signature:?}");
        }
        let mut order: Vec<_> = (0..GROUP).collect();
        shuffle(&mut order, &mut random);
        assert_group(&pairs, &cases, &expected, &order, &mut random);
    }
    assert!(count < 1000 || (good > count / 8 && bad > count / 4), "{good} good, {bad} bad");
}

/// Checks groups of four crafted signatures, each in all 24 orders.
pub fn orders(seed: u64, groups: usize) {
    let mut random = Random(seed);
    let pairs: Vec<_> = (0..KEYS).map(|_| Pair::new(random.bytes())).collect();
    for _ in 0..groups {
        let cases: Vec<_> = (0..4).map(|_| case(&pairs, &mut random)).collect();
        let expected: Vec<_> = cases.iter().map(|case| verify_strict(&pairs, case)).collect();
        for code in 0..256 {
            let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
            if (0..4).all(|at| order.contains(&at)) {
                assert_group(&pairs, &cases, &expected, &order, &mut random);
            }
        }
    }
}

fn assert_group(pairs: &[Pair], cases: &[Case], expected: &[bool], order: &[usize], random: &mut Random) {
    let claim = |&at: &usize| {
        let (case, pair) = (&cases[at], &pairs[cases[at].key]);
        let key = if random.below(2) == 0 { Under::Key(&pair.verifying) } else { Under::Table(&pair.table) };
        Claim { key, message: &case.message, signature: &case.signature }
    };
    let claims: Vec<_> = order.iter().map(claim).collect();
    let expected: Vec<_> = order.iter().map(|&at| expected[at]).collect();
    assert_eq!(verify_many(&claims), expected, "order {order:?}");
}

fn shuffle(order: &mut [usize], random: &mut Random) {
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
}

fn verify_strict(pairs: &[Pair], case: &Case) -> bool {
    pairs[case.key].dalek.verify_strict(&case.message, &case.signature).is_ok()
}

fn case(pairs: &[Pair], random: &mut Random) -> Case {
    let key = random.below(KEYS);
    let pair = &pairs[key];
    let mut message = random.bytes();
    let mut signature = pair.signing.sign(&message).to_bytes();
    let bit = 1 << random.below(8);
    let torsion = EIGHT_TORSION[random.below(8)];
    let nonce = Scalar::from_bytes_mod_order(random.bytes());
    match random.below(15) {
        0 => signature[random.below(32)] ^= bit,
        1 => signature[32 + random.below(32)] ^= bit,
        2 => message[random.below(MESSAGE)] ^= bit,
        3 => add_order(&mut signature),
        4 => signature = pair.sign_with(&message, nonce, torsion),
        5 => signature = pair.sign_with(&message, Scalar::ZERO, torsion),
        6 => signature = with_second_spelling(pair, &message, random),
        7 => return Case { key: random.below(KEYS), message, signature: signature.into() },
        8 => signature.rotate_left(32),
        9 => signature = random.bytes(),
        10 => signature[32..].copy_from_slice(&crate::constants::ORDER),
        11 => signature[63] = random.next() as u8,
        _ => {}
    }
    Case { key, message, signature: signature.into() }
}

/// Adds ℓ to S, which makes a second encoding of the same scalar.
fn add_order(signature: &mut [u8; 64]) {
    let mut carry = 0;
    for (byte, order) in signature[32..].iter_mut().zip(crate::constants::ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
}

/// Makes a signature with a non-canonical R: y + p with a y below 19, or x = 0 with a sign. A few R are the
/// canonical encoding of (0, −1). Many R decode to points, with or without small order. S is valid if the
/// point of R is neutral.
fn with_second_spelling(pair: &Pair, message: &[u8], random: &mut Random) -> [u8; 64] {
    let mut r = [0xff; 32];
    r[0] = 0xec + random.below(20) as u8;
    r[31] = [0x7f, 0xff][random.below(2)];
    if random.below(4) == 0 {
        r = crate::constants::NEUTRAL;
        r[31] = 0x80;
    }
    let k = scalar_of(&[&r, pair.verifying.as_bytes(), message]);
    joined(r, (k * pair.secret).to_bytes())
}

/// Checks `count` keys, with and without a component of small order: accepted keys, and errors.
pub fn keys(seed: u64, count: usize) {
    let mut random = Random(seed);
    for _ in 0..count {
        let (add, times) = (EIGHT_TORSION[random.below(8)], random.next() * (random.next() & 1));
        let point = ED25519_BASEPOINT_POINT * Scalar::from(times) + add;
        let expected = match point.compress().0 {
            _ if point.is_small_order() => Err(KeyError::SmallOrder),
            _ if !point.is_torsion_free() => Err(KeyError::Torsion),
            bytes => Ok(bytes),
        };
        assert_eq!(VerifyingKey::from_bytes(&point.compress().0).map(|key| key.to_bytes()), expected);
    }
}
