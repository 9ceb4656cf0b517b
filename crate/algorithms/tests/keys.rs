//! Tests which keys are accepted and which are refused.

use algorithms::{
    algorithm::Algorithm,
    keys::{KeyPair, point_of},
    signature::{canonical, verifies},
};

fn hex(digits: &str) -> Vec<u8> {
    base16ct::mixed::decode_vec(digits).unwrap()
}

/// Order of each algorithm's curve.
const ORDERS: [(Algorithm, &str); 3] = [
    (Algorithm::P256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
    (Algorithm::Secp256k1, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
    (Algorithm::Sm2, "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123"),
];

#[test]
fn a_scalar_is_from_1_to_n_minus_1_and_has_32_bytes_and_with_sm2_n_minus_2_is_the_last() {
    for (algorithm, order) in ORDERS {
        let order = hex(order);
        let mut last = order.clone();
        last[31] -= 1;
        let mut first = [0; 32];
        assert_eq!(
            KeyPair::of(algorithm, &first, &[]).err(),
            Some("a private key that is 0, or not below n")
        );
        first[31] = 1;
        assert!(KeyPair::of(algorithm, &first, &[]).is_ok());
        let is_sm2 = algorithm == Algorithm::Sm2;
        let fault = is_sm2.then_some("the private key n - 1, with which SM2 cannot sign");
        assert_eq!(KeyPair::of(algorithm, &last, &[]).err(), fault);
        last[31] -= 1;
        assert!(KeyPair::of(algorithm, &last, &[]).is_ok());
        for above in [order, vec![0xff; 32]] {
            assert!(KeyPair::of(algorithm, &above, &[]).is_err());
        }
        for length in [0, 31, 33] {
            assert!(KeyPair::of(algorithm, &vec![1; length], &[]).is_err());
        }
    }
}

#[test]
fn a_pair_comes_back_out_of_pkcs8_and_out_of_its_bytes() {
    for algorithm in Algorithm::ALL {
        let pair = KeyPair::of(algorithm, &[7; 32], &[]).unwrap();
        let again = KeyPair::read(&pair.to_pkcs8().unwrap()).unwrap();
        assert_eq!(again.to_bytes(), pair.to_bytes());
        assert_eq!(KeyPair::from_bytes(&pair.to_bytes()).unwrap().to_bytes(), pair.to_bytes());
        assert!(KeyPair::from_bytes(&pair.to_bytes()[1..]).is_none());
    }
}

#[test]
fn a_private_key_and_its_public_half_belong_together() {
    for algorithm in Algorithm::ALL {
        let (own, other) =
            (KeyPair::of(algorithm, &[7; 32], &[]).unwrap(), KeyPair::of(algorithm, &[8; 32], &[]).unwrap());
        assert!(KeyPair::of(algorithm, &own.scalar, &own.point).is_ok());
        let fault = KeyPair::of(algorithm, &own.scalar, &other.point).err();
        assert_eq!(fault, Some("the public half of another key"));
        let mut der = own.to_pkcs8().unwrap();
        let at = der.len() - 1;
        der[at] ^= 1;
        assert_eq!(KeyPair::read(&der).err(), Some("the public half of another key"));
    }
}

#[test]
fn a_container_that_names_another_curve_is_that_curve_s() {
    let mut der = KeyPair::of(Algorithm::P256, &[7; 32], &[]).unwrap().to_pkcs8().unwrap();
    let sm2 = KeyPair::of(Algorithm::Sm2, &[7; 32], &[]).unwrap().to_pkcs8().unwrap();
    // Replace the header by that of an SM2 key, which names SM2's curve and has the same length. The public
    // key still belongs to P-256.
    der[..27].copy_from_slice(&sm2[..27]);
    assert_eq!(KeyPair::read(&der).err(), Some("the public half of another key"));
}

#[test]
fn every_byte_too_few_and_too_many_is_damage() {
    let der = KeyPair::of(Algorithm::P256, &[7; 32], &[]).unwrap().to_pkcs8().unwrap();
    for length in 0..der.len() {
        assert!(KeyPair::read(&der[..length]).is_err(), "{length}");
    }
    assert!(KeyPair::read(&[&der[..], &[0]].concat()).is_err());
}

// claim: format-4
#[test]
fn a_point_is_on_its_own_curve_in_one_of_two_encodings_and_not_at_infinity() {
    for algorithm in Algorithm::ALL {
        let point = KeyPair::of(algorithm, &[7; 32], &[]).unwrap().point;
        let compressed = [&[2 | (point[64] & 1)], &point[1..33]].concat();
        assert_eq!(point_of(algorithm, &point), Some(point));
        assert_eq!(point_of(algorithm, &compressed), Some(point));
        for other in Algorithm::ALL.into_iter().filter(|other| *other != algorithm) {
            assert_eq!(point_of(other, &point), None);
        }
        let mut off = point;
        off[64] ^= 1;
        let mixed = [&[6 | (point[64] & 1)], &point[1..]].concat();
        for wrong in [&off[..], &mixed, &[0], &[], &point[..64], &[4; 65], &[5; 33]] {
            assert_eq!(point_of(algorithm, wrong), None);
        }
    }
}

#[test]
fn of_random_numbers_the_first_that_is_a_scalar_is_the_key() {
    for (algorithm, order) in ORDERS {
        let good = [0x11; 32];
        let candidates = [hex(order), vec![0; 32], good.to_vec(), vec![0x22; 32]].concat();
        assert_eq!(KeyPair::generate(algorithm, &candidates).unwrap().scalar, good);
        assert!(KeyPair::generate(algorithm, &candidates[..64]).is_none());
    }
}

#[test]
fn a_signature_verifies_under_its_own_key_and_algorithm_alone() {
    let pairs = Algorithm::ALL.map(|algorithm| KeyPair::of(algorithm, &[7; 32], &[]).unwrap());
    for own in &pairs {
        let (signature, _) = own.sign(b"bytes", &[1; 32]).unwrap();
        assert_eq!(canonical(own.algorithm, &signature), Some(signature));
        for other in &pairs {
            let is_own = own.algorithm == other.algorithm;
            assert_eq!(verifies(other.algorithm, &other.point, b"bytes", &signature), is_own);
            assert_eq!(verifies(own.algorithm, &other.point, b"bytes", &signature), is_own);
        }
        assert!(!verifies(own.algorithm, &own.point, b"other bytes", &signature));
    }
}

// claim: security-9
#[test]
fn entropy_makes_another_signature_and_none_the_same_again() {
    for algorithm in Algorithm::ALL {
        let pair = KeyPair::of(algorithm, &[7; 32], &[]).unwrap();
        assert_eq!(pair.sign(b"a", &[]), pair.sign(b"a", &[]));
        assert_ne!(pair.sign(b"a", &[1; 32]), pair.sign(b"a", &[2; 32]));
        let (signature, _) = pair.sign(b"a", &[1; 32]).unwrap();
        assert!(verifies(algorithm, &pair.point, b"a", &signature));
    }
}

// claim: format-5
#[test]
fn r_and_s_of_0_or_n_are_no_signature() {
    for (algorithm, order) in ORDERS {
        let pair = KeyPair::of(algorithm, &[7; 32], &[]).unwrap();
        let (good, _) = pair.sign(b"a", &[]).unwrap();
        for bad in [vec![0; 32], hex(order), vec![0xff; 32]] {
            for signature in [[&bad, &good[32..]].concat(), [&good[..32], &bad].concat()] {
                assert_eq!(canonical(algorithm, &signature), None);
                assert!(!verifies(algorithm, &pair.point, b"a", &signature.try_into().unwrap()));
            }
        }
    }
}

#[test]
fn der_is_read_as_key_stores_write_it_and_not_otherwise() {
    let pair = KeyPair::of(Algorithm::P256, &[7; 32], &[]).unwrap();
    let (signature, _) = pair.sign(b"a", &[]).unwrap();
    let der = ::p256::ecdsa::Signature::from_slice(&signature).unwrap().to_der();
    assert_eq!(canonical(Algorithm::P256, der.as_bytes()), Some(signature));
    assert_eq!(canonical(Algorithm::P256, &[der.as_bytes(), &[0]].concat()), None);
    assert_eq!(canonical(Algorithm::P256, &der.as_bytes()[1..]), None);
    assert_eq!(canonical(Algorithm::P256, &[]), None);
}
