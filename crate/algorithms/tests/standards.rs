//! Tests with the vectors of the standards and of Wycheproof.

use algorithms::{
    algorithm::Algorithm,
    ecdsa,
    keys::KeyPair,
    lengths::Signature,
    signature::{canonical, verifies},
};
use serde_json::Value;

fn vectors(name: &str) -> Value {
    let path = format!("{}/../../tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    base16ct::mixed::decode_vec(value.as_str().unwrap()).unwrap()
}

fn signature_of(value: &Value) -> Signature {
    [bytes(&value["r"]), bytes(&value["s"])].concat().try_into().unwrap()
}

#[test]
fn without_entropy_the_nonce_is_that_of_rfc_6979() {
    let set = &vectors("algorithms")["rfc6979"];
    let pair = KeyPair::of(Algorithm::P256, &bytes(&set["scalar"]), &bytes(&set["point"])).unwrap();
    for test in set["tests"].as_array().unwrap() {
        let message = test["message"].as_str().unwrap().as_bytes();
        let (signature, _) = pair.sign(message, &[]).unwrap();
        // Normalize the expected signature, because RFC 6979 allows either s.
        assert_eq!(Some(signature), canonical(Algorithm::P256, &signature_of(test)));
    }
}

#[test]
fn the_example_of_gbt_32918_5_verifies() {
    let set = &vectors("algorithms")["gbt32918"];
    let pair = KeyPair::of(Algorithm::Sm2, &bytes(&set["scalar"]), &bytes(&set["point"])).unwrap();
    let message = set["message"].as_str().unwrap().as_bytes();
    let mut signature = signature_of(set);
    assert!(verifies(Algorithm::Sm2, &pair.point, message, &signature));
    signature[63] ^= 1;
    assert!(!verifies(Algorithm::Sm2, &pair.point, message, &signature));
}

fn wycheproof(algorithm: Algorithm, name: &str) {
    let set = vectors(name);
    let mut counted = 0;
    for group in set["groups"].as_array().unwrap() {
        let point = bytes(&group["publicKey"]).try_into().unwrap();
        for test in group["tests"].as_array().unwrap() {
            let (message, signature) = (bytes(&test["msg"]), bytes(&test["sig"]));
            let is_good = test["result"] == "valid";
            let normal = canonical(algorithm, &signature);
            let verdict = normal.is_some_and(|normal| verifies(algorithm, &point, &message, &normal));
            assert_eq!(verdict, is_good, "{test}");
            // Without `canonical`, a signature verifies only with the lower s.
            let as_it_is = Signature::try_from(&signature[..]);
            let is_taken = as_it_is.is_ok_and(|own| verifies(algorithm, &point, &message, &own));
            assert_eq!(is_taken, is_good && normal.is_some_and(|normal| normal[..] == signature), "{test}");
            counted += 1;
        }
    }
    assert_eq!(Some(counted), set["numberOfTests"].as_u64());
}

#[test]
fn wycheproof_p256() {
    wycheproof(Algorithm::P256, "wycheproof-p256");
}

#[test]
fn wycheproof_secp256k1() {
    wycheproof(Algorithm::Secp256k1, "wycheproof-secp256k1");
}

#[test]
fn the_recovery_id_leads_back_to_the_key_and_no_other_does() {
    for seed in 1..=40_u8 {
        let pair = KeyPair::of(Algorithm::Secp256k1, &[seed; 32], &[]).unwrap();
        let (signature, id) = pair.sign(&[seed], &[seed]).unwrap();
        for other in 0..=4 {
            let recovered = ecdsa::recovered(&[seed], &signature, other);
            assert_eq!(recovered == Some(pair.point), other == id, "{seed} {other}");
        }
    }
}

// claim: format-6
#[test]
fn the_other_s_verifies_nowhere_and_recovers_nothing() {
    let order =
        base16ct::mixed::decode_vec("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    let pair = KeyPair::of(Algorithm::Secp256k1, &[9; 32], &[]).unwrap();
    let (signature, id) = pair.sign(b"a", &[]).unwrap();
    let mut turned = signature;
    let mut borrow = 0_i16;
    for (at, byte) in order.unwrap().into_iter().enumerate().rev() {
        let difference = i16::from(byte) - i16::from(signature[32 + at]) - borrow;
        turned[32 + at] = difference.rem_euclid(256) as u8;
        borrow = i16::from(difference < 0);
    }
    assert_eq!(canonical(Algorithm::Secp256k1, &turned), Some(signature));
    assert!(!verifies(Algorithm::Secp256k1, &pair.point, b"a", &turned));
    assert_eq!(ecdsa::recovered(b"a", &turned, id ^ 1), None);
}
