//! Tests with the vectors of `FORMAT.md`. An independent program made them from the text of that document.

mod common;

use alvarium_core::{
    batch::{Batch, extract},
    bundle::{Action, Layer, VerifiedBundle},
    digest::{Hash, Payload},
    identity::identity_bytes,
    keys::Keyring,
    message::{Message, read, write},
    seal::{Annotators, Call, Sealer},
    verify::{Verifier, check_payload},
};
use common::{bytes, key_of, text, vectors};
use serde_json::Value;

/// Seals a case with this crate, from the inputs of the case.
fn seal(file: &Value, case: &Value) -> Vec<u8> {
    let bundle = &case["bundle"];
    let annotations = bundle["annotations"].as_array().unwrap();
    let key = key_of(file);
    let tag = annotations.first().map_or("", |annotation| text(annotation, "tag"));
    let kinds = annotations.iter().map(|annotation| text(annotation, "kind"));
    let hash = Hash::parse(text(bundle, "hash")).unwrap();
    let layer = Layer::parse(text(bundle, "layer")).unwrap();
    let annotators = Annotators::new(kinds, tag).unwrap();
    let mut sealer =
        Sealer::new(key.verifying_key().id(), hash, text(bundle, "host"), layer, annotators).unwrap();
    let answers = annotations.iter().enumerate();
    let answers = answers.map(|(bit, annotation)| u32::from(annotation["isSatisfied"] == true) << bit).sum();
    let (payload, previous) =
        (bytes(case, "payload"), case.get("previousPayload").map(|_| bytes(case, "previousPayload")));
    let call = Call {
        inputs: None,
        action: Action::parse(text(bundle, "action")).unwrap(),
        payload: Payload::Bytes(&payload),
        previous: previous.as_deref().map(Payload::Bytes),
        asked: u32::MAX,
        answers,
        micros: file["micros"].as_u64().unwrap(),
        entropy: u128::from_str_radix(text(file, "entropy"), 16).unwrap(),
        tag: None,
    };
    sealer.seal(&call, &key).unwrap()
}

#[test]
fn sealing_the_inputs_gives_the_published_bytes() {
    let file = vectors("bundle-1.json");
    for case in file["cases"].as_array().unwrap() {
        let message = String::from_utf8(seal(&file, case)).unwrap();
        assert_eq!(message, text(case, "message"), "{}", case["name"]);
    }
}

#[test]
fn decoding_gives_the_published_identity_and_signature() {
    let file = vectors("bundle-1.json");
    for case in file["cases"].as_array().unwrap() {
        let message = text(case, "message");
        let Message::Bundle(signed) = read::decode(message.as_bytes()).unwrap() else { panic!("{message}") };
        assert_eq!(identity_bytes(&signed.bundle), bytes(case, "identity"), "{}", case["name"]);
        assert_eq!(signed.signature.to_vec(), bytes(case, "signature"), "{}", case["name"]);
    }
}

#[test]
fn the_published_messages_verify_and_speak_about_their_payloads() {
    let file = vectors("bundle-1.json");
    let key = key_of(&file).verifying_key();
    assert_eq!(key.id().as_str(), text(&file, "keyId"));
    for case in file["cases"].as_array().unwrap() {
        let mut verifier = Verifier::new(Keyring::from_iter([key]));
        let bundles = verifier.verify(text(case, "message").as_bytes()).unwrap();
        let bundle = &bundles[0];
        let payload = bytes(case, "payload");
        check_payload(bundle.hash, &bundle.key, Payload::Bytes(&payload)).unwrap();
        check_payload(bundle.hash, &bundle.key, Payload::Bytes(b"another")).unwrap_err();
        let objects: Value = serde_json::from_str(&write::bundle_objects(&bundles)).unwrap();
        let mut expected = case["bundle"].clone();
        expected["id"] = case["id"].clone();
        assert_eq!(objects, serde_json::json!([expected]), "{}", case["name"]);
    }
}

/// Seals the calls of a batch case with this crate.
fn seal_batch(file: &Value, payloads: &[Vec<u8>]) -> Vec<u8> {
    let key = key_of(file);
    let annotators = Annotators::new(["src"], "v1").unwrap();
    let mut sealer =
        Sealer::new(key.verifying_key().id(), Hash::Sha256, "edge-7", Layer::App, annotators).unwrap();
    let mut batch = Batch::default();
    for payload in payloads {
        let call = Call {
            inputs: None,
            action: Action::Create,
            payload: Payload::Bytes(payload),
            previous: None,
            asked: 1,
            answers: 1,
            micros: file["micros"].as_u64().unwrap(),
            entropy: u128::from_str_radix(text(file, "entropy"), 16).unwrap(),
            tag: None,
        };
        sealer.add(&call, &mut batch).unwrap();
    }
    sealer.seal_batch(&mut batch, &key)
}

fn ids(verified: &[VerifiedBundle<'_>]) -> Value {
    verified.iter().map(|one| base16ct::lower::encode_string(&one.id)).collect()
}

#[test]
fn batches_and_what_is_taken_out_of_them_are_the_published_bytes_and_verify() {
    let file = vectors("batch-1.json");
    let key = key_of(&file).verifying_key();
    for case in file["cases"].as_array().unwrap() {
        let payloads = case["payloads"].as_array().unwrap().iter();
        let payloads: Vec<_> =
            payloads.map(|hex| base16ct::mixed::decode_vec(hex.as_str().unwrap()).unwrap()).collect();
        let message = seal_batch(&file, &payloads);
        assert_eq!(String::from_utf8_lossy(&message), text(case, "message"), "{}", case["name"]);
        let mut verifier = Verifier::new(Keyring::from_iter([key]));
        assert_eq!(ids(&verifier.verify(&message).unwrap()), case["ids"]);
        for (index, extracted) in case["extracted"].as_array().unwrap().iter().enumerate() {
            let single = extract(&message, index).unwrap();
            assert_eq!(String::from_utf8_lossy(&single), extracted.as_str().unwrap());
            let mut fresh = Verifier::new(Keyring::from_iter([key]));
            assert_eq!(ids(&fresh.verify(&single).unwrap()), serde_json::json!([case["ids"][index]]));
        }
    }
}
