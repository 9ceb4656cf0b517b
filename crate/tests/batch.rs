//! Tests batches: one signature over many bundles, and messages of single bundles extracted from a batch.

mod common;

use alvarium_core::{
    batch::{Batch, extract, extract_some, tree_of},
    bundle::Bundle,
    error::Code,
    identity::batch_identity_bytes,
    keys::{Keyring, SigningKey},
    message::{Message, SignedBatch, read},
    verify::Verifier,
};
use common::{any_bundle, bundles_of, signing_key};
use proptest::prelude::*;
use serde_json::Value;

fn sealed(bundles: &[Bundle<'_>]) -> Vec<u8> {
    let mut batch = Batch::default();
    bundles.iter().for_each(|bundle| batch.add(bundle).unwrap());
    let (identity, unsigned) = batch.unsigned(signing_key().verifying_key().id());
    unsigned.signed(&signing_key().sign(&identity))
}

fn verifier() -> Verifier {
    Verifier::new(Keyring::from_iter([signing_key().verifying_key()]))
}

fn batch_of(message: &[u8]) -> SignedBatch<'_> {
    match read::decode(message).unwrap() {
        Message::Batch(batch) => batch,
        other => panic!("not a batch: {other:?}"),
    }
}

fn sample(size: usize) -> Vec<Bundle<'static>> {
    let one = Bundle {
        action: alvarium_core::bundle::Action::Create,
        key: "".into(),
        previous_key: None,
        inputs: None,
        hash: alvarium_core::digest::Hash::None,
        host: "edge-7".into(),
        layer: alvarium_core::bundle::Layer::App,
        timestamp: "2026-11-20T10:00:00.123456Z".into(),
        signer: signing_key().verifying_key().id(),
        annotations: vec![],
    };
    (0..size).map(|at| Bundle { key: format!("payload {at}").into(), ..one.clone() }).collect()
}

#[test]
fn what_is_signed_is_signer_size_and_root() {
    let bundles = sample(5);
    let signer = signing_key().verifying_key();
    let identity = batch_identity_bytes(signer.id(), 5, &tree_of(&bundles).root());
    assert!(identity.starts_with(b"alvarium.AnnotationBatch/1\n\0\0\0\x20"));
    assert!(signer.verifies(&identity, &batch_of(&sealed(&bundles)).signature));
}

#[test]
fn every_bundle_of_every_small_batch_verifies_on_its_own() {
    for size in [1, 2, 3, 4, 5, 7, 8, 9, 31, 33] {
        let bundles = sample(size);
        let message = sealed(&bundles);
        for (index, bundle) in bundles.iter().enumerate() {
            let single = extract(&message, index).unwrap();
            let verified = bundles_of(verifier().verify(&single).unwrap());
            assert_eq!(verified, std::slice::from_ref(bundle), "{index} of {size}");
        }
        assert_eq!(extract(&message, size).unwrap_err().code, Code::MessageMalformed);
        let apiece: Vec<_> = (0..size).map(|index| extract(&message, index).unwrap()).collect();
        let tree = tree_of(&bundles);
        assert_eq!(extract_some(&tree, &message, 0, 0, usize::MAX).unwrap(), apiece);
        assert_eq!(extract_some(&tree, &message, 0, size - 1, 1).unwrap(), apiece[size - 1..]);
        assert_eq!(extract_some(&tree, &message, 0, 0, apiece[0].len()).unwrap(), apiece[..1]);
        assert!(extract_some(&tree, &message, 0, size, 1).unwrap().is_empty());
        let text = String::from_utf8(message).unwrap();
        if let Some((first, others)) = text.split_once(r#"},{"action""#) {
            let (around, _) = first.split_once('[').unwrap();
            let part = format!(r#"{around}[{{"action"{others}"#);
            assert_eq!(extract_some(&tree, part.as_bytes(), 1, 0, usize::MAX).unwrap(), apiece[1..]);
        }
    }
}

// claim: format-27
#[test]
fn a_batch_holds_65536_bundles_and_no_more() {
    let mut batch = Batch::default();
    let [bundle] = sample(1).try_into().unwrap();
    for _ in 0..65_536 {
        batch.add(&bundle).unwrap();
    }
    let before = batch.bytes();
    let error = batch.add(&bundle).unwrap_err();
    assert_eq!(error.code, Code::PayloadInvalid);
    assert!(error.message.contains("at most 65536 bundles"), "{error}");
    assert_eq!((batch.len(), batch.bytes()), (65_536, before));
}

// claim: format-46
#[test]
fn a_batch_holds_16_mib_less_what_is_around_it_and_no_more() {
    let most = 16 * 1024 * 1024 - 1024;
    let mut batch = Batch::default();
    let mut long = sample(1).remove(0);
    let fixed = {
        let mut empty = Batch::default();
        long.key = "".into();
        empty.add(&long).unwrap();
        empty.bytes()
    };
    long.key = "x".repeat(65_536).into();
    while batch.bytes() + 2 * (fixed + 65_536 + 1) <= most {
        batch.add(&long).unwrap();
    }
    // Add two more bundles. The second ends exactly at the limit.
    let rest = most - batch.bytes() - 2 * (fixed + 1);
    long.key = "x".repeat(rest - 65_536).into();
    batch.add(&long).unwrap();
    let before = (batch.len(), batch.bytes());
    long.key = "x".repeat(65_537).into();
    assert_eq!(batch.add(&long).unwrap_err().code, Code::PayloadInvalid);
    assert_eq!((batch.len(), batch.bytes()), before);
    long.key = "x".repeat(65_536).into();
    batch.add(&long).unwrap();
    assert_eq!(batch.bytes(), most);
    long.key = "".into();
    assert_eq!(batch.add(&long).unwrap_err().code, Code::PayloadInvalid);
}

#[test]
fn a_batch_counts_its_bundles_and_their_bytes() {
    let mut batch = Batch::default();
    assert!(batch.is_empty());
    assert_eq!((batch.len(), batch.bytes()), (0, 0));
    for (at, bundle) in sample(3).iter().enumerate() {
        batch.add(bundle).unwrap();
        assert_eq!((batch.len(), batch.is_empty()), (at + 1, false));
    }
    let bytes = batch.bytes();
    let (_, unsigned) = batch.unsigned(signing_key().verifying_key().id());
    let message = String::from_utf8(unsigned.signed(&[0; 64].into())).unwrap();
    let items = message.split_once('[').unwrap().1.strip_suffix("]}}").unwrap();
    assert_eq!(bytes, items.len());
    assert_eq!((batch.len(), batch.bytes()), (0, 0));
}

#[test]
fn a_batch_of_other_bundles_or_in_another_order_is_refused() {
    let text = String::from_utf8(sealed(&sample(4))).unwrap();
    let item = |at: usize| format!("\"key\":\"payload {at}\"");
    let swapped = text.replace(&item(1), "X").replace(&item(2), &item(1)).replace('X', &item(2));
    let altered = text.replace(&item(3), &item(7));
    for message in [swapped, altered] {
        assert_eq!(verifier().verify(message.as_bytes()).unwrap_err().code, Code::SignatureInvalid);
    }
}

// claim: format-29, format-30
#[test]
fn a_proof_of_another_place_size_or_path_is_refused() {
    let single = String::from_utf8(extract(&sealed(&sample(6)), 2).unwrap()).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(single.contains(from), "{single}");
        verifier().verify(single.replacen(from, to, 1).as_bytes()).unwrap_err().code
    };
    assert_eq!(refused("\"index\":2", "\"index\":3"), Code::SignatureInvalid);
    assert_eq!(refused("\"size\":6", "\"size\":7"), Code::SignatureInvalid);
    assert_eq!(refused("\"size\":6", "\"size\":3"), Code::SignatureInvalid);
    assert_eq!(refused("\"path\":[", "\"path\":[\"00\","), Code::MessageMalformed);
    assert_eq!(refused("\"index\":2", "\"index\":6"), Code::MessageMalformed);
    assert_eq!(refused("\"index\":2", "\"index\":02"), Code::MessageMalformed);
    assert_eq!(refused("\"index\":2", "\"index\":-2"), Code::MessageMalformed);
    assert_eq!(refused("\"index\":2", "\"index\":2.0"), Code::MessageMalformed);
    assert_eq!(refused("\"index\":2,", ""), Code::MessageMalformed);
    assert_eq!(refused("payload 2", "payload 3"), Code::SignatureInvalid);
}

#[test]
fn malformed_batches_are_named() {
    let text = String::from_utf8(sealed(&sample(2))).unwrap();
    let refusal = |message: String| {
        let error = read::decode(message.as_bytes()).unwrap_err();
        assert_eq!(error.code, Code::MessageMalformed);
        error.message
    };
    let (before, after) = (text.split_once("[").unwrap().0, "]}}");
    assert!(refusal(format!("{before}[{after}")).contains("bundles: expected at least one, got none"));
    assert!(
        refusal(text.replacen("create", "destroy", 1))
            .contains("bundles[0]: message: action: expected create")
    );
    assert!(refusal(text.replace("payload 1\",", "\",\"host\":\"\",")).contains("host: expected once"));
    assert!(refusal(text.replace("payload 1", &"p".repeat(65_537))).contains("bundles[1]: key: expected"));
    assert!(
        refusal(text.replacen('{', "{\"action\":\"create\",", 1))
            .contains("action: cannot be combined with bundles")
    );
    assert!(
        refusal(text.replace("\"hash\":\"none\"", "\"signer\":\"\""))
            .contains("no other members, got \"signer\"")
    );
}

#[test]
fn a_remembered_root_is_still_only_good_for_trusted_signers() {
    let message = sealed(&sample(3));
    let single = extract(&message, 1).unwrap();
    let mut verifier = verifier();
    verifier.verify(&message).unwrap();
    verifier.verify(&single).unwrap();
    verifier.keyring = Keyring::from_iter([SigningKey::from_seed(&[8; 32]).verifying_key()]);
    assert_eq!(verifier.verify(&single).unwrap_err().code, Code::SignerUnknown);
}

// claim: format-23
#[test]
fn a_stranger_is_told_before_anything_is_hashed() {
    let mut verifier = verifier();
    verifier.keyring = Keyring::from_iter([SigningKey::from_seed(&[8; 32]).verifying_key()]);
    let message = sealed(&sample(6));
    let single = String::from_utf8(extract(&message, 2).unwrap()).unwrap();
    // Use a path of a wrong length, which only hashing can detect.
    let astray = single.replacen("\"size\":6", "\"size\":3", 1).into_bytes();
    for message in [&message, &astray] {
        assert_eq!(verifier.verify(message).unwrap_err().code, Code::SignerUnknown);
        assert_eq!(verifier.verify_many(&[message])[0].as_ref().unwrap_err().code, Code::SignerUnknown);
    }
}

#[test]
fn a_verifier_that_knows_every_node_refuses_what_a_new_one_refuses() {
    let (strangers_key, size) = (SigningKey::from_seed(&[8; 32]), 16);
    let trusted = || Keyring::from_iter([signing_key().verifying_key(), strangers_key.verifying_key()]);
    let (message, other) = (sealed(&sample(size)), sealed(&sample(size + 1)));
    let mut warm = Verifier::new(trusted());
    for index in 0..size {
        warm.verify(&extract(&message, index).unwrap()).unwrap();
        warm.verify(&extract(&other, index).unwrap()).unwrap();
    }
    let json = |message: &[u8], index| -> Value {
        serde_json::from_slice(&extract(message, index).unwrap()).unwrap()
    };
    let mut refused = |index, member: &str, value: Value| {
        let mut altered = json(&message, index);
        *altered["content"].pointer_mut(member).unwrap() = value;
        let altered = altered.to_string();
        let code = warm.verify(altered.as_bytes()).unwrap_err().code;
        assert_eq!(code, Code::SignatureInvalid, "{altered}");
        assert_eq!(Verifier::new(trusted()).verify(altered.as_bytes()).unwrap_err().code, code);
    };
    for index in 0..size {
        let next = json(&message, (index + 1) % size)["content"].clone();
        refused(index, "/signature", json(&other, index)["content"]["signature"].clone());
        refused(index, "/signer", strangers_key.verifying_key().id().as_str().into());
        refused(index, "/key", next["key"].clone());
        refused(index, "/proof/index", next["proof"]["index"].clone());
        refused(index, "/proof/size", (size + 1).into());
        refused(index, "/proof/path", json(&other, index)["content"]["proof"]["path"].clone());
        for level in 0..4 {
            let path = next["proof"]["path"][(level + 1) % 4].clone();
            refused(index, &format!("/proof/path/{level}"), path);
        }
    }
}

#[test]
fn many_batches_at_once_are_remembered_as_far_as_there_is_room() {
    let mut verifier = verifier();
    let messages: Vec<_> = (1..150).map(|size| sealed(&sample(size))).collect();
    for _ in 0..2 {
        for (size, message) in (1..).zip(&messages) {
            assert_eq!(verifier.verify(message).unwrap().len(), size);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bundles_come_out_as_they_went_in(
        bundles in prop::collection::vec(any_bundle(), 1..20), index in any::<prop::sample::Index>(),
    ) {
        let message = sealed(&bundles);
        let together = verifier().verify(&message).unwrap();
        let index = index.index(bundles.len());
        let single = extract(&message, index).unwrap();
        prop_assert_eq!(&verifier().verify(&single).unwrap()[0], &together[index]);
        prop_assert_eq!(&bundles_of(together), &bundles);
        for json in [&message, &single] {
            let read: serde_json::Value = serde_json::from_slice(json).unwrap();
            prop_assert_eq!(&read.to_string().into_bytes(), json);
        }
    }

    #[test]
    fn a_mutated_batch_never_verifies_as_something_else(
        bundles in prop::collection::vec(any_bundle(), 1..6), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        single in any::<bool>(),
    ) {
        let mut message = sealed(&bundles);
        if single { message = extract(&message, 0).unwrap() }
        let at = at.index(message.len());
        message[at] = byte;
        if let Ok(verified) = verifier().verify(&message) {
            let count = if single { 1 } else { bundles.len() };
            prop_assert_eq!(&bundles_of(verified)[..], &bundles[..count]);
        }
    }
}
