//! Tests that CBOR messages have the same meaning as JSON messages, and that items not in `FORMAT.md` are refused.

mod common;

use alvarium_core::{
    batch::{Batch, extract},
    bundle::{Annotation, Bundle},
    digest::Hash,
    error::Code,
    identity::identity_bytes,
    keys::Keyring,
    limits::{MAX_BATCH_MESSAGE, MAX_MESSAGE},
    message::{Message, cbor, read, write::Unsigned},
    timestamp::{MAX_MICROS, format_micros},
    ulid::Ulid,
    verify::Verifier,
};
use common::{
    any_bundle, bytes,
    item::{Item, NAMES},
    key_of,
    rows::item_of,
    signing_key, text, vectors,
};
use proptest::prelude::*;
use serde_json::Value;

fn golden() -> Vec<u8> {
    text(&vectors("bundle-1.json")["cases"][0], "message").as_bytes().to_vec()
}

/// Returns the golden message as a CBOR item.
fn item() -> Item {
    item_of(&golden())
}

fn refusal(message: &[u8]) -> String {
    let error = cbor::decode(message).unwrap_err();
    assert_eq!(error.code, Code::MessageMalformed);
    error.message
}

/// Encodes the golden message with the value of a member replaced.
fn with(member: &str, value: Item) -> Vec<u8> {
    replace(item(), member, value)
}

/// Encodes a message with the value of a member replaced, in every map that has the member.
fn replace(mut item: Item, member: &str, value: Item) -> Vec<u8> {
    let number = Item::Unsigned(NAMES.iter().position(|name| *name == member).unwrap() as u64);
    let value = &value;
    item.each(&mut |item| {
        if let Item::Map(pairs) = item {
            pairs.iter_mut().filter(|(key, _)| *key == number).for_each(|pair| pair.1 = value.clone());
        }
    });
    item.encode()
}

/// Makes a bundle/1 message, a batch/1, or an extracted bundle, with digests or texts as payload keys.
fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let bundle = (any_bundle(), prop::sample::select(vec![0, 16, 32]), any_timestamp(), any_id());
    (prop::collection::vec(bundle, 1..5), 0..3).prop_map(|(bundles, kind)| {
        let bundles: Vec<_> = bundles
            .into_iter()
            .map(|(bundle, length, timestamp, id)| move_to(hashed(bundle, length), timestamp, id))
            .collect();
        match kind {
            0 => Unsigned::bundle(&bundles[0]).signed(&signing_key().sign(&identity_bytes(&bundles[0]))),
            1 => batch(&bundles),
            _ => extract(&batch(&bundles), bundles.len() - 1).unwrap(),
        }
    })
}

/// Makes timestamps close to each other, far apart, and in formats that our writer does not write.
fn any_timestamp() -> impl Strategy<Value = String> {
    let near = 1_795_168_800_123_456_u64;
    prop_oneof![
        4 => (near..near + 100).prop_map(format_micros),
        1 => (0..=MAX_MICROS).prop_map(format_micros),
        1 => any::<i32>().prop_map(move |step| format_micros(near.saturating_add_signed(2 * i64::from(step)))),
        1 => prop::sample::select(vec!["2026-11-20T10:00:00Z", "1969-12-31T23:59:59.999999Z", "2016-12-31T23:59:60.000000Z"])
            .prop_map(str::to_owned),
    ]
}

/// Makes consecutive ids that start at 0 or near 2³², the limit of differences. `None` leaves the ids
/// unchanged.
fn any_id() -> impl Strategy<Value = Option<u128>> {
    prop_oneof![Just(None), (0..9_u128).prop_map(Some), ((1 << 32) - 2..(1 << 32) + 2_u128).prop_map(Some)]
}

fn move_to(mut bundle: Bundle<'static>, timestamp: String, id: Option<u128>) -> Bundle<'static> {
    bundle.timestamp = timestamp.into();
    for (annotation, id) in bundle.annotations.iter_mut().zip(id.into_iter().flat_map(|id| id..)) {
        annotation.id = Ulid::of_number(id);
    }
    bundle
}

fn batch(bundles: &[Bundle<'_>]) -> Vec<u8> {
    let mut batch = Batch::default();
    bundles.iter().for_each(|bundle| batch.add(bundle).unwrap());
    let (identity, unsigned) = batch.unsigned(signing_key().verifying_key().id());
    unsigned.signed(&signing_key().sign(&identity))
}

/// Returns the bundle with digests of this length as keys. For 0, the keys are texts without a hash.
fn hashed(mut bundle: Bundle<'static>, length: usize) -> Bundle<'static> {
    bundle.hash = [Hash::None, Hash::Md5, Hash::Sha256][length / 16];
    if length > 0 {
        let digest = |text: &str| -> String {
            text.bytes().chain([7; 32]).take(length).map(|byte| format!("{byte:02X}")).collect()
        };
        bundle.key = digest(&bundle.key).into();
        bundle.previous_key = bundle.previous_key.map(|key| digest(&key).into());
    }
    bundle
}

// claim: format-32
#[test]
fn what_the_format_has_no_place_for_is_refused_and_named() {
    let digits = |length: usize| Item::Text(vec![b'0'; length]);
    let cases = [
        (with("signature", digits(128)), "signature: expected CBOR bytes, got text (at"),
        (
            with("signature", Item::Bytes(vec![0; 63])),
            "signature: expected 128 lower-case hexadecimal digits, got",
        ),
        (with("signer", digits(32)), "signer: expected CBOR bytes, got text"),
        (with("key", digits(64)), "key: expected CBOR bytes, or text with hash none, got the wrong type"),
        (with("key", Item::Bytes(vec![0; 16])), "key: expected a sha256 key, got"),
        (
            with("hash", Item::Text(b"none".to_vec())),
            "key: expected CBOR bytes, or text with hash none, got the wrong type",
        ),
        (with("host", Item::Bytes(b"edge".to_vec())), "host: expected CBOR text, got bytes"),
        (with("kind", Item::Bytes(b"src".to_vec())), "kind: expected CBOR text, got bytes"),
        (with("host", Item::Text(b"\xff".to_vec())), "host: expected CBOR text, got text that is not UTF-8"),
        (
            with("host", Item::Text(b"\xed\xa0\x80".to_vec())),
            "host: expected CBOR text, got text that is not UTF-8",
        ),
        (with("isSatisfied", Item::Unsigned(1)), "isSatisfied: expected CBOR true or false, got an unsigned"),
        (
            with("isSatisfied", Item::Other(vec![0xf6])),
            "isSatisfied: expected CBOR true or false, got a float or",
        ),
        (with("host", Item::Tag(Box::new(digits(1)))), "host: expected CBOR text, got a tag"),
        (
            with("host", Item::Long(Box::new(digits(1)))),
            "host: expected CBOR of definite length in its shortest form",
        ),
        (
            with("host", Item::Indefinite(Box::new(digits(1)))),
            "host: expected CBOR text, got one of indefinite",
        ),
        (
            with("signer", Item::Indefinite(Box::new(Item::Bytes(vec![])))),
            "signer: expected CBOR bytes, got one of indefinite",
        ),
        (
            with("annotations", Item::Indefinite(Box::new(Item::Array(vec![])))),
            "annotations: expected CBOR of definite",
        ),
        (
            with("annotations", Item::Array(vec![Item::Array(vec![])])),
            "annotations: expected CBOR map, got an array",
        ),
        (
            with("annotations", Item::Array(vec![Item::Map(vec![]); 257])),
            "annotations: expected at most 256, got more",
        ),
        (with("content", Item::Unsigned(1)), "content: expected CBOR map, got an unsigned integer"),
        (refusal_of_key(Item::Other(vec![0xf9, 0x80, 0x00])), "expected a member's number, got a float"),
        (refusal_of_key(Item::Negative(0)), "expected a member's number, got a negative integer"),
        (
            refusal_of_key(Item::Long(Box::new(Item::Unsigned(0)))),
            "expected CBOR of definite length in its shortest form",
        ),
        (refusal_of_key(Item::Unsigned(1 << 32)), "expected a member's number below 23, got 4294967296"),
        (refusal_of_key(Item::Unsigned(7)), "expected no other members, got \"hash\""),
        (refusal_of_key(Item::Unsigned(1)), "messageType: expected once, got twice"),
        ([item().encode(), vec![0]].concat(), "expected CBOR to end, got more"),
        (vec![0; MAX_BATCH_MESSAGE + 1], "expected at most 16777216 bytes, got 16777217"),
    ];
    for (message, expected) in cases {
        let refusal = refusal(&message);
        assert!(refusal.contains(expected), "expected {expected:?} in {refusal:?}");
    }
}

#[test]
fn a_previous_key_that_is_a_digest_is_bytes() {
    let mutate = item_of(text(&vectors("bundle-1.json")["cases"][2], "message").as_bytes());
    let message = replace(mutate, "previousKey", Item::Text(vec![b'0'; 64]));
    assert!(refusal(&message).contains("previousKey: expected CBOR bytes, or text with hash none"));
}

/// Encodes the golden message with another key in place of `action`. The result must be refused.
fn refusal_of_key(key: Item) -> Vec<u8> {
    let mut item = item();
    if let Item::Map(pairs) = &mut item {
        pairs[0].0 = key;
        pairs.swap(0, 1);
    }
    item.encode()
}

#[test]
fn numbers_of_a_proof_are_whole_and_no_floats() {
    let message = vectors("batch-1.json");
    let extracted =
        message["cases"].as_array().unwrap().iter().find_map(|case| case["extracted"][0].as_str());
    let item = item_of(extracted.unwrap().as_bytes());
    cbor::decode(&item.encode()).unwrap();
    for (value, expected) in [
        (Item::Other(vec![0xf9, 0x80, 0x00]), "index: expected a CBOR unsigned integer, got a float"),
        (Item::Other(vec![0xf9, 0x00, 0x00]), "index: expected a CBOR unsigned integer, got a float"),
        (Item::Unsigned(1 << 32), "proof: expected index, size and path, with index < size <= 65536"),
        (
            Item::Long(Box::new(Item::Unsigned(0))),
            "index: expected CBOR of definite length in its shortest form",
        ),
    ] {
        let mut altered = item.clone();
        altered.each(&mut |item| {
            if let Item::Map(pairs) = item {
                pairs
                    .iter_mut()
                    .filter(|(key, _)| *key == Item::Unsigned(18))
                    .for_each(|pair| pair.1 = value.clone());
            }
        });
        let refusal = refusal(&altered.encode());
        assert!(refusal.contains(expected), "expected {expected:?} in {refusal:?}");
    }
}

/// Returns a golden message of each of the three kinds.
fn of_all_kinds() -> [String; 3] {
    let batches = vectors("batch-1.json");
    let case = batches["cases"].as_array().unwrap().last().unwrap();
    let [whole, extracted] =
        [&case["message"], &case["extracted"][0]].map(|text| text.as_str().unwrap().to_owned());
    [String::from_utf8(golden()).unwrap(), whole, extracted]
}

#[test]
fn members_may_come_in_any_order_but_for_a_batch() {
    for (message, is_batch) in of_all_kinds().into_iter().zip([false, true, false]) {
        let mut item = item_of(message.as_bytes());
        item.each(&mut |item| {
            if let Item::Map(pairs) = item {
                pairs.reverse();
            }
        });
        let json = cbor::to_json(&item.encode());
        assert_eq!(json.ok(), (!is_batch).then_some(message.into_bytes()));
    }
}

#[test]
fn a_content_before_its_type_may_have_only_what_the_type_has() {
    let [single, batch, extracted] = of_all_kinds();
    let pair =
        |message: &str| message.split_once("\"content\":").map(|(_, content)| content.to_owned()).unwrap();
    let of = |message_type: &str, action: &str, content: &str| {
        let content = content.strip_suffix('}').unwrap();
        format!("{{\"content\":{content},{action}\"messageType\":\"alvarium.{message_type}/1\"}}")
    };
    let action = "\"action\":\"create\",";
    let contents = [pair(&single), pair(&batch), pair(&extracted)];
    let types = [("AnnotationBundle", action), ("AnnotationBatch", ""), ("BatchedBundle", action)];
    for (at, content) in contents.iter().enumerate() {
        for (place, (message_type, action)) in types.into_iter().enumerate() {
            let message = of(message_type, action, content);
            assert_eq!(read::decode(message.as_bytes()).is_ok(), at == place, "{message}");
        }
    }
}

#[test]
fn a_single_member_of_another_kind_is_refused_before_the_type_and_behind_it() {
    let kinds = of_all_kinds().map(|message| serde_json::from_str::<Value>(&message).unwrap());
    for kind in &kinds {
        for (name, value) in kinds.iter().flat_map(|other| other["content"].as_object().unwrap()) {
            if kind["content"].get(name).is_some() {
                continue;
            }
            let mut content = kind["content"].clone();
            content[name] = value.clone();
            let Value::Object(mut before) = kind.clone() else { panic!("not an object: {kind}") };
            before.insert("content".into(), content.clone());
            let mut behind = serde_json::Map::from_iter([("content".to_owned(), content)]);
            behind
                .extend(kind.as_object().unwrap().clone().into_iter().filter(|(name, _)| name != "content"));
            for message in [before, behind].map(|members| Value::Object(members).to_string()) {
                let error = read::decode(message.as_bytes()).unwrap_err();
                assert_eq!(error.code, Code::MessageMalformed, "{message}");
            }
        }
    }
}

#[test]
fn a_content_before_its_type_is_as_long_as_its_kind_may_be() {
    let [single, batch, _] = of_all_kinds();
    let of_length = |message: &str, length: usize| {
        let (envelope, content) = message.strip_suffix('}').unwrap().split_once(",\"content\":").unwrap();
        let start = format!("{{\"content\":{content},{}", envelope.strip_prefix('{').unwrap());
        format!("{start}{}}}", " ".repeat(length - start.len() - 1))
    };
    let is_read = |message: &str, length| read::decode(of_length(message, length).as_bytes()).is_ok();
    assert_eq!([0, 1].map(|more| is_read(&single, MAX_MESSAGE + more)), [true, false]);
    assert_eq!([0, 1].map(|more| is_read(&batch, MAX_MESSAGE + more)), [true, true]);
    assert_eq!([0, 1].map(|more| is_read(&batch, MAX_BATCH_MESSAGE + more)), [true, false]);
}

// claim: format-33
#[test]
fn a_byte_order_mark_is_part_of_a_text() {
    let message = String::from_utf8(golden()).unwrap().replacen("edge-7", "\u{feff}edge-7", 1).into_bytes();
    assert_eq!(cbor::to_json(&cbor::of_json(&message).unwrap()).unwrap(), message);
}

#[test]
fn all_that_is_cut_off_is_refused() {
    let batch = vectors("batch-1.json");
    for message in [golden(), text(&batch["cases"][0], "message").as_bytes().to_vec()] {
        let whole = cbor::of_json(&message).unwrap();
        for length in 0..whole.len() {
            refusal(&whole[..length]);
        }
    }
    let whole = cbor::of_json(&golden()).unwrap();
    assert!(refusal(&whole[..0]).contains("expected CBOR map, got the end"));
    let action = whole.windows(6).position(|bytes| bytes == b"create").unwrap();
    assert!(
        refusal(&whole[..action + 3]).contains("action: expected CBOR text, got an item that is cut off")
    );
}

#[test]
fn a_head_grows_with_its_length() {
    for length in [0, 23, 24, 255, 256, 65_535, 65_536] {
        let key = "k".repeat(length);
        let bundle = Bundle { key: key.into(), ..any_bundle_of("edge-7") };
        let message = Unsigned::bundle(&bundle).signed(&signing_key().sign(&identity_bytes(&bundle)));
        assert_eq!(cbor::to_json(&cbor::of_json(&message).unwrap()).unwrap(), message);
    }
}

#[test]
fn lengths_are_believed_only_as_far_as_there_are_bytes() {
    let many = [0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    for major in 2..6 {
        let mut head = many;
        head[0] = major << 5 | 27;
        for member in ["host", "signature", "key", "annotations", "content"] {
            refusal(&with(member, Item::Other(head.to_vec())));
        }
        refusal(&head);
    }
}

#[test]
fn nesting_is_refused_at_any_depth_and_in_any_place() {
    for first in [0x81, 0x9f, 0xa1, 0xbf, 0xc1] {
        let deep = vec![first; 1_000_000];
        refusal(&deep);
        for member in ["action", "messageType", "content", "annotations", "host", "key", "isSatisfied"] {
            refusal(&with(member, Item::Other(deep.clone())));
        }
        // Nest deeply before the message's type is known.
        refusal(&[&[0xa1, 0x02][..], &deep].concat());
    }
}

#[test]
fn a_batch_may_be_longer_than_a_bundle_and_not_in_json() {
    // Each bundle takes 260 bytes in CBOR and 1,600 in JSON.
    let bundle = Bundle { key: "\u{1}".repeat(255).into(), ..any_bundle_of("") };
    let message = with_rows(&batch(std::slice::from_ref(&bundle)), |rows| {
        rows.push(Item::Array(vec![Item::Unsigned(0), Item::Unsigned(0), Item::Text(vec![1; 255])]));
        *rows = [rows[..1].to_vec(), vec![rows[1].clone(); 12_000]].concat();
    });
    assert!(message.len() > 2 * 1024 * 1024 && cbor::decode(&message).is_ok());
    let refusal = cbor::to_json(&message).unwrap_err().message;
    assert!(refusal.contains("expected at most 16777216 bytes in JSON, got more"), "{refusal}");
}

/// Changes the rows of a batch in CBOR, and encodes it.
fn with_rows(batch: &[u8], change: impl Fn(&mut Vec<Item>)) -> Vec<u8> {
    let mut item = item_of(batch);
    if let Item::Map(members) = &mut item
        && let Item::Map(content) = &mut members[1].1
        && let Item::Array(rows) = &mut content[2].1
    {
        change(rows);
    }
    item.encode()
}

// claim: format-78
#[test]
fn a_few_bytes_that_stand_for_many_are_refused_before_they_are_read() {
    let annotation = || Annotation {
        id: Ulid::of_number(0),
        kind: "k".repeat(255).into(),
        tag: "t".repeat(1024).into(),
        is_satisfied: true,
    };
    let annotations: Vec<_> = (0..256).map(|_| annotation()).collect();
    let message = batch(&[Bundle { annotations, ..any_bundle_of("edge-7") }]);
    // Each row takes 260 bytes in CBOR and 340 kB in JSON.
    let row = [vec![Item::Unsigned(0); 258], vec![Item::Text(vec![])]].concat();
    let rows = |count| with_rows(&message, |rows| rows.extend(vec![Item::Array(row.clone()); count]));
    assert!(cbor::decode(&rows(40)).is_ok());
    assert!(refusal(&rows(60_000)).contains("expected at most 16777216 bytes in JSON, got more"));
}

// claim: format-77
#[test]
fn a_row_is_refused_that_our_writer_would_write_in_another_way() {
    let message = batch(&[any_bundle_of("edge-7"), any_bundle_of("edge-8"), any_bundle_of("edge-7")]);
    let refusal_with = |row: usize, at: usize, item: Item| {
        refusal(&with_rows(&message, |rows| {
            if let Item::Array(items) = &mut rows[row] {
                items[at] = item.clone();
            }
        }))
    };
    let first = item_of(&batch(&[any_bundle_of("edge-7")]));
    let mut members = Vec::new();
    first.clone().each(&mut |item| {
        members.extend(matches!(item, Item::Map(pairs) if pairs.len() == 5).then(|| item.clone()))
    });
    let time = || Item::Text(b"2026-11-20T10:00:00.123456Z".to_vec());
    let spelling = "expected the canonical CBOR of this batch, got another encoding";
    for (row, at, item, expected) in [
        (2, 0, members[0].clone(), spelling),
        (1, 1, time(), spelling),
        (
            2,
            1,
            Item::Long(Box::new(Item::Unsigned(0))),
            "timestamp: expected CBOR of definite length in its shortest form",
        ),
        (0, 0, Item::Unsigned(0), "expected the number of an earlier map, got another number"),
        (2, 0, Item::Unsigned(2), "expected the number of an earlier map, got another number"),
        (
            0,
            1,
            Item::Unsigned(0),
            "timestamp: expected a whole timestamp, or a difference that gives one, got another one",
        ),
        (
            1,
            1,
            Item::Negative(0),
            "timestamp: expected CBOR text or an unsigned integer, got a negative integer",
        ),
        (1, 1, Item::Bytes(vec![]), "timestamp: expected CBOR text or an unsigned integer, got bytes"),
        (1, 0, Item::Map(vec![(Item::Unsigned(5), time())]), "expected no other members, got \"key\""),
        (
            1,
            0,
            Item::Map(vec![]),
            "bundles[1]: message: action: expected create, mutate, transit or publish, got nothing",
        ),
    ] {
        let refusal = refusal_with(row, at, item);
        assert!(refusal.contains(expected), "expected {expected:?} in {refusal:?}");
    }
}

#[test]
fn a_row_has_as_many_items_as_its_bundle_needs() {
    let message = batch(&[any_bundle_of("edge-7"), any_bundle_of("edge-7")]);
    for change in [
        |items: &mut Vec<Item>| drop(items.pop()),
        |items: &mut Vec<Item>| items.push(Item::Text(vec![])),
        |items: &mut Vec<Item>| {
            items.extend([Item::Text(vec![]), Item::Text(vec![])]);
        },
    ] {
        let altered = with_rows(&message, |rows| {
            if let Item::Array(items) = &mut rows[1] {
                change(items);
            }
        });
        refusal(&altered);
    }
    assert!(
        refusal(&with_rows(&message, |rows| rows[1] = Item::Map(vec![])))
            .contains("expected CBOR array, got a map")
    );
    refusal(&with_rows(&message, |rows| rows[1] = Item::Array(vec![])));
}

#[test]
fn golden_batches_are_the_published_bytes_and_verify() {
    let file = vectors("batch-cbor-1.json");
    let mut verifier = Verifier::new(Keyring::from_iter([key_of(&file).verifying_key()]));
    for case in file["cases"].as_array().unwrap() {
        let (json, cbor) = (text(case, "message").as_bytes(), bytes(case, "cbor"));
        assert_eq!(cbor::of_json(json).unwrap(), cbor, "{}", case["name"]);
        assert_eq!(cbor::to_json(&cbor).unwrap(), json, "{}", case["name"]);
        assert_eq!(verifier.verify(json).unwrap().len(), case["ids"].as_array().unwrap().len());
    }
}

#[test]
fn inputs_that_are_too_long_in_json_are_not_written() {
    let mut message: Value = serde_json::from_slice(&golden()).unwrap();
    message["action"] = "mutate".into();
    message["messageType"] = "alvarium.AnnotationBundle/2".into();
    let input = serde_json::json!({ "key": "\u{1}".repeat(65_536), "hash": "none" });
    message["content"]["inputs"] = vec![input; 45].into();
    let cbor = Item::of(&message, "", "").encode();
    assert!(cbor.len() < 3 * 1024 * 1024 && cbor::decode(&cbor).is_ok());
    let refusal = cbor::to_json(&cbor).map(|json| json.len()).unwrap_err().message;
    assert!(refusal.contains("expected at most 16777216 bytes in JSON, got more"), "{refusal}");
}

#[test]
fn a_batch_turns_into_json_as_long_as_json_may_be_and_no_longer() {
    let mut message: Value = serde_json::from_slice(&batch(&[any_bundle_of("")])).unwrap();
    let bundle = |key: usize| {
        let mut bundle = message["content"]["bundles"][0].clone();
        bundle["key"] = "k".repeat(key).into();
        bundle
    };
    let mut bundles = vec![bundle(65_430); 255];
    let around = message.to_string().len() - bundle(0).to_string().len();
    let others: usize = bundles.iter().map(|bundle| bundle.to_string().len() + 1).sum();
    let length = MAX_BATCH_MESSAGE - around - others - bundle(0).to_string().len();
    bundles.push(bundle(length));
    let longer = [&bundles[..255], &[bundle(length + 1)]].concat();
    message["content"]["bundles"] = bundles.into();
    let longest = message.to_string().into_bytes();
    assert_eq!(longest.len(), MAX_BATCH_MESSAGE);
    assert_eq!(cbor::to_json(&cbor::of_json(&longest).unwrap()).unwrap(), longest);
    message["content"]["bundles"] = longer.into();
    let json = cbor::to_json(&item_of(&message.to_string().into_bytes()).encode());
    let refusal = json.map(|json| json.len()).unwrap_err().message;
    assert!(refusal.contains("expected at most 16777216 bytes in JSON, got more"), "{refusal}");
}

fn any_bundle_of(host: &str) -> Bundle<'static> {
    Bundle {
        action: alvarium_core::bundle::Action::Create,
        key: "".into(),
        previous_key: None,
        inputs: None,
        hash: Hash::None,
        host: host.to_owned().into(),
        layer: alvarium_core::bundle::Layer::App,
        timestamp: "2026-11-20T10:00:00.123456Z".into(),
        signer: signing_key().verifying_key().id(),
        annotations: vec![],
    }
}

#[test]
fn a_bundle_that_is_too_long_is_refused_before_its_content_is_read() {
    let long = with("content", Item::Bytes(vec![0; 2 * 1024 * 1024]));
    assert!(refusal(&long).contains("expected at most 2097152 bytes, got 2097"));
}

/// Changes one item to something that FORMAT.md forbids or allows only elsewhere.
fn alter(item: &mut Item, how: usize, byte: u8) {
    let texts = ["none", "md5", "sha256", "create", "mutate", "\u{feff}", "alvarium.AnnotationBundle/1", ""];
    let old = item.clone();
    *item = match (how, old) {
        (0, _) => Item::Unsigned(u64::from(byte) % 24),
        (1, _) => Item::Negative(0),
        (2, _) => Item::Other(vec![0xf9, 0x80, 0x00]),
        (3, Item::Bytes(bytes)) => Item::Text(base16ct::lower::encode_string(&bytes).into_bytes()),
        (3, Item::Text(text)) => Item::Bytes(text),
        (4, Item::Bytes(bytes)) => Item::Text(bytes),
        (4, Item::Text(text)) => Item::Text([b"\xef\xbb\xbf".to_vec(), text].concat()),
        (5, old) => Item::Tag(Box::new(old)),
        (6, old @ (Item::Unsigned(_) | Item::Bytes(_) | Item::Text(_) | Item::Array(_) | Item::Map(_))) => {
            Item::Long(Box::new(old))
        }
        (7, old @ (Item::Bytes(_) | Item::Text(_) | Item::Array(_) | Item::Map(_))) => {
            Item::Indefinite(Box::new(old))
        }
        (8, Item::Map(mut pairs)) => {
            pairs.extend(pairs.get(usize::from(byte) % pairs.len().max(1)).cloned());
            Item::Map(pairs)
        }
        (8, Item::Array(mut items)) => {
            items.extend(items.first().cloned());
            Item::Array(items)
        }
        (9, Item::Map(mut pairs)) => {
            if !pairs.is_empty() {
                pairs.remove(usize::from(byte) % pairs.len());
            }
            Item::Map(pairs)
        }
        (9, Item::Array(mut items)) => {
            items.pop();
            Item::Array(items)
        }
        (10 | 11, Item::Map(mut pairs)) => {
            let count = pairs.len().max(1);
            pairs.rotate_left(usize::from(byte) % count);
            Item::Map(pairs)
        }
        (10 | 11, Item::Bytes(mut bytes) | Item::Text(mut bytes)) if how == 10 && !bytes.is_empty() => {
            let at = usize::from(byte) % bytes.len();
            bytes[at] ^= 1 << (byte % 8);
            Item::Bytes(bytes)
        }
        (12, Item::Text(mut text)) => {
            text.push(byte);
            Item::Text(text)
        }
        (13, Item::Text(_)) => Item::Text(texts[usize::from(byte) % texts.len()].into()),
        (14, _) => Item::Other(vec![0xf4 + byte % 4]),
        (15, _) => Item::Text(texts[usize::from(byte) % texts.len()].into()),
        (16, _) => Item::Bytes(vec![byte; [0, 16, 32, 64][usize::from(byte) % 4]]),
        // Make truncated simple values and floats, and true and false (RFC 8949 §3.3).
        (17, _) => Item::Other(vec![0xe0 | byte]),
        (_, old) => old,
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn json_and_cbor_turn_into_each_other(message in any_message()) {
        let in_cbor = cbor::of_json(&message).unwrap();
        prop_assert_eq!(&in_cbor, &item_of(&message).encode());
        prop_assert_eq!(cbor::decode(&in_cbor).unwrap(), read::decode(&message).unwrap());
        prop_assert_eq!(cbor::to_json(&in_cbor).unwrap(), message);
    }

    // claim: threats-6, threats-31
    #[test]
    fn altered_items_mean_in_cbor_what_they_mean_in_json_or_nothing(
        message in any_message(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..18_usize, any::<u8>()), 1..4),
    ) {
        let mut item = item_of(&message);
        for (at, how, byte) in changes {
            let (at, mut next) = (at.index(item.count()), 0);
            item.each(&mut |item| {
                if next == at { alter(item, how, byte) }
                next += 1;
            });
        }
        let encoded = item.encode();
        let decoded = cbor::decode(&encoded).ok();
        if let Some(Message::Batch(_)) = &decoded {
            let json = cbor::to_json(&encoded).unwrap();
            prop_assert_eq!(item_of(&json).encode(), encoded);
        } else {
            let json = item.meaning("", "").map(|value: Value| value.to_string());
            let expected = json.as_ref().and_then(|json| read::decode(json.as_bytes()).ok());
            let expected = expected.filter(|message| !matches!(message, Message::Batch(_)));
            prop_assert_eq!(decoded, expected);
        }
    }

    // claim: threats-30
    #[test]
    fn altered_bytes_are_refused_or_are_the_only_spelling(
        message in any_message(), at in any::<prop::sample::Index>(), byte in any::<u8>(), insert in any::<bool>(),
    ) {
        let mut altered = cbor::of_json(&message).unwrap();
        let at = at.index(altered.len());
        if insert { altered.insert(at, byte) } else { altered[at] = byte }
        if let Ok(json) = cbor::to_json(&altered) {
            let again = cbor::of_json(&json).unwrap();
            // Compare lengths, because the members may be in another order.
            prop_assert_eq!(again.len(), altered.len());
            prop_assert_eq!(cbor::to_json(&again).unwrap(), json);
        }
    }

    #[test]
    fn any_bytes_are_refused_and_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        refusal(&bytes);
    }
}
