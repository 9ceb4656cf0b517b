//! Tests bundles with several inputs: their signed bytes, and messages without the list of inputs.

mod common;

use alvarium_core::{
    batch::{Batch, extract},
    bundle::{Action, Bundle},
    crossing::{self, Flag, NUMBERS},
    digest::Hash,
    error::Code,
    identity::{INPUTS_DOMAIN, batch_identity_bytes, identity_bytes},
    inputs::{Input, Inputs, Short, leaves_of},
    keys::Keyring,
    limits::MAX_INPUTS,
    merkle::{Tree, leaf},
    message::{
        Message, SignedBundle, cbor, read,
        write::{self, Unsigned},
    },
    verify::{Extent, Verifier, identity_of},
};
use common::{any_bundle, any_inputs, signing_key};
use proptest::prelude::*;

/// Returns the bundle with these inputs instead of a previous key.
fn made_from(inputs: Vec<Input<'static>>, bundle: Bundle<'static>) -> Bundle<'static> {
    Bundle { action: Action::Mutate, previous_key: None, inputs: Some(Inputs::All(inputs)), ..bundle }
}

fn plain() -> Bundle<'static> {
    Bundle {
        action: Action::Create,
        key: "average".into(),
        previous_key: None,
        inputs: None,
        hash: Hash::None,
        host: "edge-7".into(),
        layer: alvarium_core::bundle::Layer::App,
        timestamp: "2026-11-20T10:00:00.123456Z".into(),
        signer: signing_key().verifying_key().id(),
        annotations: Vec::new(),
    }
}

fn sealed(bundle: &Bundle<'_>) -> Vec<u8> {
    Unsigned::bundle(bundle).signed(&signing_key().sign(&identity_bytes(bundle)))
}

/// Returns the bundle with only the number and the root of its inputs.
fn shortened(bundle: &Bundle<'static>) -> Bundle<'static> {
    let short = bundle.inputs.as_ref().map(|inputs| Inputs::Short(inputs.short()));
    Bundle { inputs: short, ..bundle.clone() }
}

fn verifier() -> Verifier {
    Verifier::new(Keyring::from_iter([signing_key().verifying_key()]))
}

fn code(message: &[u8]) -> Option<Code> {
    verifier().verify(message).err().map(|error| error.code)
}

fn text_input(text: &str) -> Input<'static> {
    Input::Payload { hash: Hash::None, key: text.to_owned().into() }
}

proptest! {
    #[test]
    fn what_is_written_is_what_is_read_in_every_way(inputs in any_inputs(), bundle in any_bundle()) {
        let bundle = made_from(inputs, bundle);
        let message = sealed(&bundle);
        let verified = verifier().verify(&message).unwrap();
        prop_assert_eq!(&verified[0].bundle, &bundle);
        prop_assert_eq!(&verifier().verify_many(&[&message])[0], &Ok(verified));
        prop_assert_eq!(cbor::to_json(&cbor::of_json(&message).unwrap()).unwrap(), message);
    }

    #[test]
    fn without_its_inputs_a_bundle_has_the_same_signature_and_id(inputs in any_inputs(), bundle in any_bundle()) {
        let bundle = made_from(inputs, bundle);
        let short = sealed(&shortened(&bundle));
        prop_assert_eq!(identity_of(&short, true).unwrap(), identity_bytes(&bundle));
        let claimed = verifier().claimed(&short, Extent::Short).unwrap();
        prop_assert_eq!(claimed.bundles[0].id, verifier().verify(&sealed(&bundle)).unwrap()[0].id);
        prop_assert_eq!(&claimed.bundles[0].bundle, &shortened(&bundle));
    }

    #[test]
    fn another_list_of_inputs_has_another_identity(one in any_inputs(), other in any_inputs()) {
        let identity = |inputs: &[Input<'static>]| identity_bytes(&made_from(inputs.to_vec(), plain()));
        prop_assert_eq!(one == other, identity(&one) == identity(&other));
    }

    #[test]
    fn the_leaves_of_parts_are_those_of_all(inputs in any_inputs(), cut in any::<prop::sample::Index>()) {
        let (front, back) = inputs.split_at(cut.index(inputs.len()));
        let leaves = |some: &[Input<'static>]| match some {
            [] => Vec::new(),
            _ => verifier().claimed(&sealed(&made_from(some.to_vec(), plain())), Extent::Part).unwrap().identity,
        };
        prop_assert_eq!([leaves(front), leaves(back)].concat(), leaves_of(&inputs).concat());
    }
}

#[test]
fn a_message_without_its_inputs_is_taken_for_no_whole_one() {
    let bundle = made_from(vec![text_input("a"), text_input("b")], plain());
    let (whole, short) = (sealed(&bundle), sealed(&shortened(&bundle)));
    assert_eq!(code(&short), Some(Code::MessageMalformed));
    assert_eq!(verifier().verify_many(&[&short])[0].as_ref().unwrap_err().code, Code::MessageMalformed);
    assert_eq!(cbor::of_json(&short).unwrap_err().code, Code::MessageMalformed);
    for (message, extent) in [(&short, Extent::Whole), (&short, Extent::Part), (&whole, Extent::Short)] {
        assert_eq!(verifier().claimed(message, extent).unwrap_err().code, Code::MessageMalformed);
    }
    assert!(verifier().claimed(&sealed(&plain()), Extent::Part).is_err());
    assert!(verifier().claimed(&sealed(&plain()), Extent::Short).is_err());
}

#[test]
fn the_order_and_the_number_of_inputs_are_signed_and_one_may_come_twice() {
    let message = sealed(&made_from(vec![text_input("a"), text_input("b"), text_input("a")], plain()));
    assert_eq!(code(&message), None);
    let text = String::from_utf8(message).unwrap();
    let [a, b] = [r#"{"hash":"none","key":"a"}"#, r#"{"hash":"none","key":"b"}"#];
    for other in
        [format!("{b},{a},{a}"), format!("{a},{b}"), format!("{a},{b},{a},{a}"), format!("{a},{b},{b}")]
    {
        let altered = text.replace(&format!("{a},{b},{a}"), &other);
        assert_eq!(code(altered.as_bytes()), Some(Code::SignatureInvalid), "{other}");
    }
}

#[test]
fn each_type_has_what_belongs_to_it() {
    let text = String::from_utf8(sealed(&made_from(vec![text_input("a")], plain()))).unwrap();
    let inputs = r#""inputs":[{"hash":"none","key":"a"}]"#;
    let input = r#"{"hash":"none","key":"a"}"#;
    let cases = [
        ("AnnotationBundle/2", "AnnotationBundle/1"),
        ("\"mutate\"", "\"create\""),
        (inputs, "\"inputs\":[]"),
        (inputs, r#""previousKey":"00""#),
        (inputs, &format!(r#"{inputs},"previousKey":"00""#)),
        (inputs, &format!("{inputs},{inputs}")),
        (input, r#"{"hash":"none"}"#),
        (input, r#"{"hash":"sha256","key":"a"}"#),
        (input, r#"{"hash":"sha1","key":"a"}"#),
        (input, r#"{"hash":"none","key":"a","set":"00"}"#),
        (input, r#"{"set":"00"}"#),
        (input, r#"{"hash":"none","key":"a","size":1}"#),
    ];
    for (from, to) in cases {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text);
        assert_eq!(code(altered.as_bytes()), Some(Code::MessageMalformed), "{altered}");
    }
    let plain = String::from_utf8(sealed(&plain())).unwrap();
    let renamed = plain.replace("AnnotationBundle/1", "AnnotationBundle/2");
    assert_eq!(code(renamed.as_bytes()), Some(Code::MessageMalformed));
}

#[test]
fn a_short_form_names_a_size_and_a_root() {
    let bundle = shortened(&made_from(vec![text_input("a")], plain()));
    let text = String::from_utf8(sealed(&bundle)).unwrap();
    let refused = |from: &str, to: &str| {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text);
        assert_eq!(
            verifier().claimed(altered.as_bytes(), Extent::Short).unwrap_err().code,
            Code::MessageMalformed,
            "{altered}"
        );
    };
    refused(r#""size":1"#, r#""size":0"#);
    refused(r#""size":1"#, r#""size":65537"#);
    refused(r#""size":1,"#, "");
    refused(r#""root":""#, r#""root":"0"#);
    refused(r#""size":1"#, r#""size":1,"index":0"#);
}

#[test]
fn a_batch_holds_bundles_with_inputs_and_gives_them_out() {
    let bundles = [vec![text_input("a")], vec![text_input("b"), Input::Set([7; 32])]];
    let bundles = bundles.map(|inputs| made_from(inputs, plain()));
    let signer = signing_key().verifying_key().id();
    let mut batch = Batch::default();
    bundles.iter().for_each(|bundle| batch.add(bundle).unwrap());
    let (identity, unsigned) = batch.unsigned(signer);
    let message = unsigned.signed(&signing_key().sign(&identity));
    let root = Tree::new(&bundles.clone().map(|bundle| leaf(&identity_bytes(&bundle)))).root();
    assert_eq!(identity, batch_identity_bytes(signer, 2, &root));
    let ids: Vec<_> = verifier().verify(&message).unwrap().iter().map(|one| one.id).collect();
    let second = extract(&message, 1).unwrap();
    assert_eq!(verifier().verify(&second).unwrap()[0].id, ids[1]);
    assert_eq!(cbor::to_json(&cbor::of_json(&message).unwrap()).unwrap(), message);
    // Refuse the short form in a batch, because a bundle in a batch must list all its inputs.
    let all = r#""inputs":[{"hash":"none","key":"a"}]"#;
    let short = format!(r#""inputs":{{"size":1,"root":"{}"}}"#, "00".repeat(32));
    let altered = String::from_utf8(message).unwrap().replace(all, &short);
    assert_eq!(code(altered.as_bytes()), Some(Code::MessageMalformed));
}

#[test]
fn a_bundle_has_as_many_inputs_as_the_limit_and_no_more() {
    let inputs: Vec<_> = (0..MAX_INPUTS).map(|at| text_input(&at.to_string())).collect();
    let message = sealed(&made_from(inputs, plain()));
    assert_eq!(code(&message), None);
    let more = r#""inputs":[{"hash":"none","key":""},"#;
    let more = String::from_utf8(message).unwrap().replacen(r#""inputs":["#, more, 1);
    assert_eq!(code(more.as_bytes()), Some(Code::MessageMalformed));
}

#[test]
fn what_crosses_of_inputs_is_their_number_and_their_root() {
    let crossed = |place: &[u8]| {
        let mut numbers = [0; NUMBERS];
        numbers[0] = 1;
        numbers[crossing::Field::PreviousLength as usize] = place.len() as u32;
        numbers[crossing::Field::Flags as usize] = Flag::Inputs as u32;
        crossing::call(&numbers, b"", place, Hash::Sha256).map(|call| call.inputs)
    };
    let place = [&[3, 1, 0, 0][..], &[9; 32]].concat();
    assert_eq!(crossed(&place), Ok(Some(Short { size: 259, root: [9; 32] })));
    for wrong in [&place[..35], &[0; 36][..], &[255; 36], b""] {
        assert_eq!(crossed(wrong).unwrap_err().code, Code::PayloadInvalid);
    }
}

#[test]
fn only_messages_with_many_bundles_or_inputs_may_be_long_wherever_their_type_stands() {
    let inputs: Vec<_> = (0..30_000).map(|at| text_input(&format!("{at:060}"))).collect();
    let message = sealed(&made_from(inputs, plain()));
    assert!(message.len() > 2_097_152);
    let text = String::from_utf8(message).unwrap();
    let kind = r#""messageType":"alvarium.AnnotationBundle/2","#;
    let last =
        text.replace(kind, "").strip_suffix('}').unwrap().to_owned() + "," + kind.trim_end_matches(',') + "}";
    assert_eq!(code(last.as_bytes()), None);
    let padded = |message: &[u8], length: usize| [&vec![b' '; length - message.len()], message].concat();
    assert_eq!(code(&padded(text.as_bytes(), 16_777_216)), None);
    assert_eq!(code(&padded(text.as_bytes(), 16_777_217)), Some(Code::MessageMalformed));
    let plain = sealed(&plain());
    assert_eq!(code(&padded(&plain, 2_097_152)), None);
    assert_eq!(code(&padded(&plain, 2_097_153)), Some(Code::MessageMalformed));
}

#[test]
fn a_leaf_is_what_the_format_says() {
    let payload = [&[0_u8][..], &[0, 0, 0, 4], b"none", &[0, 0, 0, 1], b"a"].concat();
    let set = [&[1_u8][..], &[7; 32]].concat();
    let inputs = [text_input("a"), Input::Set([7; 32])];
    assert_eq!(leaves_of(&inputs), [leaf(&payload), leaf(&set)]);
    let identity = identity_bytes(&made_from(inputs.to_vec(), plain()));
    let root = Tree::new(&[leaf(&payload), leaf(&set)]).root();
    let begin =
        [INPUTS_DOMAIN, &[0, 0, 0, 6], b"mutate", &[0, 0, 0, 7], b"average", &[0, 0, 0, 2], &root].concat();
    assert!(identity.starts_with(&begin));
}

#[test]
fn what_was_read_is_written_again() {
    let inputs = (0..1000).map(|at| text_input(&at.to_string())).chain([Input::Set([1; 32])]).collect();
    let message = sealed(&made_from(inputs, plain()));
    let read = read::decode(&message).unwrap();
    assert!(matches!(read, Message::Bundle(SignedBundle { .. })));
    assert_eq!(write::message(&read).unwrap(), message);
}

#[test]
fn the_golden_bundles_are_what_is_signed() {
    for case in common::vectors("bundle-2.json")["cases"].as_array().unwrap() {
        let message = common::text(case, "message").as_bytes();
        assert_eq!(identity_of(message, true).unwrap(), common::bytes(case, "identity"));
        let golden = common::vectors("bundle-2.json");
        let key = common::key_of(&golden).verifying_key();
        let verified = Verifier::new(Keyring::from_iter([key])).verify(message).unwrap()[0].clone();
        assert_eq!(verified.id.to_vec(), common::bytes(case, "id"));
        assert_eq!(verified.inputs.as_ref().unwrap().short().root.to_vec(), common::bytes(case, "root"));
        assert_eq!(write::message(&read::decode(message).unwrap()).unwrap(), message);
    }
}
