//! Tests the JSON reader: it refuses invalid messages, reads the same values as serde_json, and never panics.

mod common;

use alvarium_core::{
    bundle::{Annotation, Bundle, quote},
    digest::{Hash, Payload},
    error::{Code, Result},
    identity::identity_bytes,
    keys::Keyring,
    limits::{MAX_ANNOTATIONS, MAX_BATCH_MESSAGE},
    message::{Message, SignedBundle, read, write::Unsigned},
    verify::{Verifier, check_payload},
};
use common::{any_bundle, bundles_of, signing_key, text, vectors};
use proptest::prelude::*;
use serde_json::Value;

fn message_of(bundle: &Bundle<'_>) -> Vec<u8> {
    Unsigned::bundle(bundle).signed(&signing_key().sign(&identity_bytes(bundle)))
}

/// Decodes a message that must be a single bundle.
fn decode(message: &[u8]) -> Result<SignedBundle<'_>> {
    match read::decode(message)? {
        Message::Bundle(signed) => Ok(signed),
        other => panic!("not a bundle: {other:?}"),
    }
}

fn golden() -> String {
    text(&vectors("bundle-1.json")["cases"][0], "message").to_owned()
}

fn refusal(message: &[u8]) -> String {
    let error = decode(message).unwrap_err();
    assert_eq!(error.code, Code::MessageMalformed);
    error.message
}

#[test]
fn a_thousand_faults_make_a_short_text() {
    let annotations = vec!["{}"; 256].join(",");
    let message = golden();
    let (before, after) = (message.split_once("[").unwrap().0, message.rsplit_once("]").unwrap().1);
    let refusal = refusal(format!("{before}[{annotations}]{after}").as_bytes());
    assert!(refusal.ends_with("and 1016 more") && refusal.len() < 1000, "{refusal}");
}

#[test]
fn with_hash_none_a_payload_that_differs_in_case_is_another() {
    let check = |payload: &[u8]| check_payload(Hash::None, "Hello", Payload::Bytes(payload));
    assert!(check(b"Hello").is_ok());
    assert_eq!(check(b"hello").unwrap_err().code, Code::PayloadMismatch);
}

#[test]
fn what_is_quoted_is_harmless_to_a_terminal() {
    let refusal = refusal(golden().replacen("create", "\u{9b}2J\u{202e}\u{2028}\u{7f}é🚀", 1).as_bytes());
    assert!(refusal.contains(r#""\u009b2J\u202e\u2028\u007fé🚀""#), "{refusal}");
}

#[test]
fn an_error_quotes_a_name_with_its_quotation_marks_escaped() {
    assert_eq!(quote(r#"a"b\c"#), r#""a\"b\\c""#);
    let longest = "é".repeat(39);
    assert_eq!(quote(&longest), format!("\"{longest}\""));
    assert_eq!(quote("2026-11-20T10:00:00Z"), "\"2026-11-20T10:00:00Z\"");
}

#[test]
fn an_error_gives_only_the_length_of_a_text_that_may_be_a_secret() {
    assert_eq!(quote(&"é".repeat(40)), "a text of 40 characters");
    assert_eq!(quote("q7ZxV0bNfT2mK9sW"), "a text of 16 characters");
    assert_eq!(quote("me:secret@host"), "a text of 14 characters");
}

#[test]
fn an_error_about_another_payload_has_no_payload_with_hash_none() {
    let error = check_payload(Hash::None, "secret", Payload::Bytes(b"other")).unwrap_err();
    assert!(!error.message.contains("secret"), "{error}");
    assert!(error.message.contains("of 6 bytes"), "{error}");
}

// claim: format-14
#[test]
fn a_message_may_have_white_space_escapes_and_another_order() {
    let golden = golden();
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&golden).unwrap()).unwrap();
    let escaped = golden.replace("edge", "\\u0065dg\\u0065").replace("src", "\\u0073r\\u0063");
    let reordered = golden.replacen("{\"action\":\"create\",", "{", 1);
    let reordered = format!("{},\"action\":\"create\"}}", reordered.strip_suffix('}').unwrap());
    for same in [pretty, escaped, reordered] {
        assert_eq!(decode(same.as_bytes()), decode(golden.as_bytes()), "{same}");
    }
}

// claim: threats-19, format-13
#[test]
fn what_is_wrong_is_named() {
    let altered = |from: &str, to: &str| refusal(golden().replacen(from, to, 1).as_bytes());
    let cases = [
        (
            altered("create", "destroy"),
            "action: expected create, mutate, transit or publish, got \"destroy\"",
        ),
        (altered("/1", "/3"), "or \"alvarium.BatchedBundle/1\", got \"alvarium.AnnotationBundle/3\""),
        (altered("\"sha256\"", "\"sha1\""), "hash: expected sha256, md5 or none, got \"sha1\""),
        (altered("\"app\"", "\"ring0\""), "layer: expected app, cicd, os or host, got \"ring0\""),
        (altered("\"key\":\"2C", "\"key\":\"2c"), "key: expected a sha256 key"),
        (altered("11-20T", "02-30T"), "timestamp: expected an RFC 3339 date-time"),
        (altered("01M7W6", "01m7w6"), "annotations.id: expected a ULID"),
        (altered("\"kind\":\"src\"", "\"kind\":\"\""), "annotations[0].kind: expected 1 to 255 bytes, got 0"),
        (altered("\"kind\":\"src\",", ""), "annotations.kind: expected one, got nothing"),
        (altered("\"host\":\"edge-7\",", ""), "host: expected one, got nothing"),
        (altered("\"host\":", "\"hots\":"), "expected no other members, got \"hots\""),
        (altered("\"host\":", "\"key\":\"\",\"host\":"), "key: expected once, got twice"),
        (altered("true", "1"), "expected true or false, got \"1\""),
        (altered("\"app\"", "7"), "expected '\"', got \"7\""),
        (
            altered("\"hash\"", "\"previousKey\":\"00\",\"hash\""),
            "previousKey: cannot be combined with action create",
        ),
        (altered("create", "mutate"), "previousKey: needs a payload key with action mutate"),
        (altered("edge", "\\ud800"), "expected a surrogate pair"),
        (altered("edge", "\\udc00\\ud800"), "expected a surrogate pair"),
        (altered("edge", "\\ud800\\ue000"), "expected a surrogate pair"),
        (altered("edge", "\\ud800\\ud800"), "expected a surrogate pair"),
        (altered("edge", "\\x41"), r#"expected an escape that JSON knows, got "\\" (at byte"#),
        (altered("edge", "\n"), "expected no control character in a string"),
        (refusal(b""), "expected '{', got the end"),
        (refusal(b"\xef\xbb\xbf{}"), "expected '{'"),
        (refusal(b"{\"\xff\":1}"), "expected UTF-8"),
        (refusal((golden() + "x").as_bytes()), "expected the end, got \"x\""),
        (refusal(&vec![b' '; MAX_BATCH_MESSAGE + 1]), "expected at most 16777216 bytes, got 16777217"),
        (refusal(format!("{{\"content\":{}1", "[".repeat(100_000)).as_bytes()), "expected '{', got \"[\""),
        (
            refusal(br#"{"action":"create","messageType":"alvarium.AnnotationBundle/1"}"#),
            "content: expected an object, got nothing",
        ),
        (refusal(br#"{"action":"create","messageType":"x"}"#), "messageType: expected "),
        (refusal(br#"{"content":{}}"#), "messageType: expected "),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "expected {expected:?} in {message:?}");
    }
}

#[test]
fn all_wrong_fields_are_listed_at_once() {
    let message = refusal(
        golden().replace("create", "x").replace("sha256", "y").replace("\"app\"", "\"z\"").as_bytes(),
    );
    for field in ["action", "hash", "layer"] {
        assert!(message.contains(field), "{message}");
    }
}

// claim: format-44
#[test]
fn a_bundle_has_256_annotations_and_no_more() {
    let message = golden();
    let SignedBundle { bundle, .. } = decode(message.as_bytes()).unwrap();
    let annotation: &Annotation<'_> = &bundle.annotations[0];
    let with = |count| Bundle { annotations: vec![annotation.clone(); count], ..bundle.clone() };
    assert_eq!(with(MAX_ANNOTATIONS).faults(), [""; 0]);
    assert_eq!(with(MAX_ANNOTATIONS + 1).faults(), ["annotations: expected at most 256, got 257"]);
}

#[test]
fn a_digest_with_any_number_of_bytes_that_are_no_upper_case_digits_is_no_key() {
    let key = Hash::Sha256.key_of(Payload::Bytes(b"hello")).unwrap();
    for wrong in ["a", "g", "G", "/", ":", "@", " "] {
        for length in 1..=key.len() {
            assert!(
                !Hash::Sha256.is_key(&(wrong.repeat(length) + &key[length..])),
                "{length} times {wrong:?}"
            );
        }
    }
    assert!(Hash::Sha256.is_key(&key) && !Hash::Sha256.is_key(&key[1..]) && !Hash::Md5.is_key(&key));
}

#[test]
fn escapes_mean_what_they_mean_to_serde_json() {
    for escapes in ["\\ud83d\\ude80", "\\uDBFF\\uDFFF", "\\u0000\\uffff", "\\b\\f\\n\\r\\t\\/\\\\\\\""] {
        let message = golden().replacen("edge-7", escapes, 1);
        let value: Value = serde_json::from_str(&message).unwrap();
        assert_eq!(
            decode(message.as_bytes()).unwrap().bundle.host,
            value["content"]["host"].as_str().unwrap()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_sealed_decodes_to_the_same_bundle(bundle in any_bundle()) {
        let message = message_of(&bundle);
        prop_assert_eq!(&decode(&message).unwrap().bundle, &bundle);
    }

    #[test]
    fn serde_json_reads_the_same_values(bundle in any_bundle()) {
        let message = message_of(&bundle);
        let other: Value = serde_json::from_slice(&message).unwrap();
        prop_assert_eq!(other.to_string().into_bytes(), message);
        prop_assert_eq!(other["content"]["host"].as_str().unwrap(), &bundle.host);
        prop_assert_eq!(other["content"]["key"].as_str().unwrap(), &bundle.key);
    }

    #[test]
    fn a_mutated_message_never_verifies_as_something_else(
        bundle in any_bundle(), at in any::<prop::sample::Index>(), byte in any::<u8>(), insert in any::<bool>(),
    ) {
        let mut verifier = Verifier::new(Keyring::from_iter([signing_key().verifying_key()]));
        let mut message = message_of(&bundle);
        let at = at.index(message.len());
        if insert { message.insert(at, byte) } else { message[at] = byte }
        // The message may still verify: white space between members and an equal byte change no value.
        if let Ok(verified) = verifier.verify(&message) {
            prop_assert_eq!(bundles_of(verified), [bundle]);
        }
        // Check that another JSON reader accepts every message that ours accepts.
        if decode(&message).is_ok() {
            prop_assert!(serde_json::from_slice::<Value>(&message).is_ok());
        }
    }

    #[test]
    fn any_bytes_are_refused_and_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(decode(&bytes).unwrap_err().code, Code::MessageMalformed);
    }

    #[test]
    fn escapes_are_read_exactly_when_serde_json_reads_them(escapes in r"(\\(u[dD][89abcdefABCDEF][0-9a-f]{2}|u[0-9a-e]{4}|[a-z])){1,3}") {
        let message = golden().replacen("edge-7", &escapes, 1);
        let theirs = serde_json::from_str::<Value>(&message).map(|value| text(&value["content"], "host").to_owned());
        let ours = decode(message.as_bytes()).map(|signed| signed.bundle.host.into_owned());
        prop_assert_eq!(ours.ok(), theirs.ok());
    }

    #[test]
    fn anything_that_looks_like_json_is_refused(text in r#"[{}\[\]":,\\u0-9a-f \ntrue]{0,200}"#) {
        prop_assert_eq!(decode(text.as_bytes()).unwrap_err().code, Code::MessageMalformed);
    }
}
