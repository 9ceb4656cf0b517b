//! Tests keys in every form, and the errors for invalid keys.

mod common;

use alvarium_core::{
    error::Code,
    keys::{KeyId, Keyring, SigningKey, VerifyingKey},
    verify::Verifier,
};

const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn hex(text: &str) -> Vec<u8> {
    base16ct::mixed::decode_vec(text.replace(' ', "")).unwrap()
}

fn private_refusal(bytes: &[u8]) -> String {
    let error = SigningKey::read(bytes).unwrap_err();
    assert_eq!(error.code, Code::KeyInvalid);
    error.message
}

fn public_refusal(bytes: &[u8]) -> String {
    let error = VerifyingKey::read(bytes).unwrap_err();
    assert_eq!(error.code, Code::KeyInvalid);
    error.message
}

#[test]
fn every_form_of_a_private_key_is_the_same_key() {
    let both = format!("{SEED}{PUBLIC}");
    let v1 = format!("302e020100300506032b657004220420{SEED}");
    let v2 = format!("3051020101300506032b657004220420{SEED}812100{PUBLIC}");
    let attributes = format!("3059020101300506032b657004220420{SEED}a0063004060203e7812100{PUBLIC}");
    let ring = format!("3053020101300506032b657004220420{SEED}a123032100{PUBLIC}");
    let binary = [&both, &v1, &v2, &attributes, &ring].map(|digits| hex(digits));
    let text = [both.clone(), both.to_uppercase(), format!("{both}\n"), format!(" {both}\r\n")];
    for form in binary.into_iter().chain(text.map(String::into_bytes)) {
        assert_eq!(SigningKey::read(&form).unwrap().verifying_key().to_bytes().to_vec(), hex(PUBLIC));
    }
}

// claim: threats-35
#[test]
fn what_may_be_a_public_key_is_no_private_key() {
    let text = [PUBLIC.to_owned(), PUBLIC.to_uppercase(), format!("{PUBLIC}\r\n"), SEED.to_owned()];
    for form in [hex(PUBLIC), hex(SEED)].into_iter().chain(text.map(String::into_bytes)) {
        let message = private_refusal(&form);
        assert!(message.contains("which may be a public key") && message.contains("{ seed }"), "{message}");
    }
}

#[test]
fn every_form_of_a_public_key_is_the_same_key() {
    let spki = hex(&format!("302a300506032b6570032100{PUBLIC}"));
    let text = [PUBLIC.to_owned(), PUBLIC.to_uppercase(), format!("{PUBLIC}\r\n")];
    for form in [hex(PUBLIC), spki].into_iter().chain(text.map(String::into_bytes)) {
        assert_eq!(VerifyingKey::read(&form).unwrap().to_bytes().to_vec(), hex(PUBLIC));
    }
}

#[test]
fn a_wrong_private_key_is_named_but_never_shown() {
    let mismatched = format!("{SEED}{SEED}");
    let cases = [
        (
            private_refusal(&hex(&mismatched)),
            "expected the public half of the seed, got the public half of another key",
        ),
        (private_refusal(mismatched.as_bytes()), "expected the public half of the seed"),
        (private_refusal(&SEED.as_bytes()[1..]), "expected 128 hexadecimal digits, got 63 of them"),
        (private_refusal(SEED.replace('9', "g").as_bytes()), "got an invalid character at position 0"),
        (private_refusal(&SEED.as_bytes()[..32]), "got 32 of them"),
        (private_refusal(&hex(SEED)[..31]), "got 31 bytes"),
        (private_refusal(b""), "got 0 of them"),
        (
            private_refusal(&hex(&format!("302a300506032b6570032100{PUBLIC}"))),
            "PKCS#8 of an Ed25519 key, got another key",
        ),
        (
            private_refusal(&hex(&format!("302e020100300506032b656e04220420{SEED}"))),
            "PKCS#8 of an Ed25519 key, got another key",
        ),
        (
            private_refusal(&hex(&format!("302f020100300506032b657004220420{SEED}"))),
            "PKCS#8 of an Ed25519 key, got another key",
        ),
        (
            private_refusal(&hex(&format!("3051020101300506032b657004220420{SEED}812100{SEED}"))),
            "the public half of the seed",
        ),
    ];
    for (message, expected) in cases {
        assert!(
            message.starts_with("signingKey: ") && message.contains(expected),
            "{expected:?} in {message:?}"
        );
        assert!(!message.contains(&SEED[..8]), "{message}");
    }
}

#[test]
fn a_public_key_that_is_not_tagged_as_one_is_refused() {
    let untagged = format!("304e020101300506032b657004220420{SEED}{PUBLIC}");
    assert!(private_refusal(&hex(&untagged)).contains("another key"));
}

#[test]
fn a_point_has_one_encoding() {
    // The point with y = 3 is on the curve and has a component of small order. y = 3 + p encodes the same point.
    let (canonical, other) = (format!("03{}", "00".repeat(31)), format!("f0{}7f", "ff".repeat(30)));
    assert!(public_refusal(&hex(&canonical)).contains("a component of small order"));
    assert!(public_refusal(&hex(&other)).contains("not the canonical one"));
}

#[test]
fn a_wrong_public_key_is_named() {
    let identity_point = format!("01{}", "00".repeat(31));
    let cases = [
        (public_refusal(&hex(PUBLIC)[1..]), "got 31 bytes"),
        (public_refusal(&PUBLIC.as_bytes()[2..]), "expected 64 hexadecimal digits, got 62 of them"),
        (public_refusal(identity_point.as_bytes()), "small order"),
        (public_refusal(&[2; 32]), "not a point of the curve"),
        (
            public_refusal(&hex(&format!("302e020100300506032b657004220420{SEED}"))),
            "a public key, got PKCS#8, which looks like a private key",
        ),
        (
            public_refusal(format!("{SEED}{PUBLIC}").as_bytes()),
            "a public key, got 128 hexadecimal digits, which looks like a private key",
        ),
        (public_refusal(&[7; 64]), "a public key, got 64 bytes, which looks like a private key"),
        (public_refusal(&[0x30, 2, 0x30, 0]), "SubjectPublicKeyInfo of an Ed25519 key, got another key"),
    ];
    for (message, expected) in cases {
        assert!(
            message.starts_with("verifyingKey: ") && message.contains(expected),
            "{expected:?} in {message:?}"
        );
    }
}

#[test]
fn debug_output_shows_the_id_and_nothing_else() {
    let key = SigningKey::read(format!("{SEED}{PUBLIC}").as_bytes()).unwrap();
    let shown = format!("{key:?}");
    assert!(shown.contains(key.verifying_key().id().as_str()) && !shown.contains(&SEED[..8]), "{shown}");
}

#[test]
fn what_is_signed_and_checked_is_what_is_signed() {
    let key = SigningKey::from_seed(&[1; 32]);
    assert_eq!(key.sign_checked(b"annotation"), Some(key.sign(b"annotation")));
}

#[test]
fn a_key_id_has_one_spelling() {
    let id = KeyId::of(&hex(PUBLIC).try_into().unwrap());
    assert_eq!(id.as_str(), "21fe31dfa154a261626bf854046fd227");
    assert_eq!(KeyId::parse(id.as_str()), Some(id));
    for other in [
        "21FE31DFA154A261626BF854046FD227",
        "21fe31dfa154a261626bf854046fd22",
        "é1fe31dfa154a261626bf854046fd22",
    ] {
        assert_eq!(KeyId::parse(other), None);
    }
}

#[test]
fn a_keyring_finds_each_of_many_keys_and_says_when_it_has_not_got_one() {
    let keys: Vec<_> = (0..100).map(|n| SigningKey::from_seed(&[n; 32]).verifying_key()).collect();
    let keyring: Keyring = keys.iter().chain(&keys).copied().collect();
    for key in &keys {
        keyring.check_known(key.id()).unwrap();
    }
    let error = keyring.check_known(SigningKey::from_seed(&[200; 32]).verifying_key().id()).unwrap_err();
    assert_eq!(error.code, Code::SignerUnknown);
    assert!(error.message.contains("one in the keyring of 100 keys"), "{error}");
}

#[test]
fn whoever_signed_bytes_is_found_among_the_trusted_keys_and_nobody_else() {
    let keys: Vec<_> = (1..=3).map(|byte| SigningKey::from_seed(&[byte; 32])).collect();
    let stranger = SigningKey::from_seed(&[9; 32]);
    let mut verifier = Verifier::new(keys.iter().map(SigningKey::verifying_key).collect());
    for key in keys.iter().chain(keys.iter().rev()) {
        let signature = key.sign(b"annotation");
        assert_eq!(verifier.signer_of(b"annotation", &signature), Some(key.verifying_key().id()));
        assert_eq!(verifier.signer_of(b"another", &signature), None);
        assert_eq!(verifier.signer_of(b"annotation", &stranger.sign(b"annotation")), None);
    }
}

#[test]
fn among_some_of_the_keys_nobody_else_is_found_not_even_who_was_found_last() {
    let keys: Vec<_> = (1..=3).map(|byte| SigningKey::from_seed(&[byte; 32])).collect();
    let mut keyring = Verifier::new(keys.iter().map(SigningKey::verifying_key).collect());
    let mut ids: Vec<_> = keys.iter().map(|key| key.verifying_key().id()).collect();
    ids.sort_by_key(|id| id.as_str().to_owned());
    let first = keys.iter().find(|key| key.verifying_key().id() == ids[0]).unwrap();
    let signature = first.sign(b"annotation");
    for (keys, found) in [(0..1, Some(ids[0])), (1..3, None), (0..0, Some(ids[0])), (3..9, None)] {
        assert_eq!(keyring.signer_among(b"annotation", &signature, keys.clone()), found, "{keys:?}");
    }
}

#[test]
fn whoever_was_found_last_is_not_found_any_more_once_nobody_trusts_it() {
    let key = SigningKey::from_seed(&[1; 32]);
    let mut verifier = Verifier::new(Keyring::from_iter([key.verifying_key()]));
    assert!(verifier.signer_of(b"annotation", &key.sign(b"annotation")).is_some());
    verifier.keyring = Keyring::default();
    assert_eq!(verifier.signer_of(b"annotation", &key.sign(b"annotation")), None);
}
