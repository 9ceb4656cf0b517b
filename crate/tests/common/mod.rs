//! Helpers for the tests: test vectors, and bundles of every shape.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub mod item;
pub mod rows;

use alvarium_core::{
    bundle::{Action, Annotation, Bundle, Layer, VerifiedBundle},
    digest::Hash,
    inputs::{Input, Inputs},
    keys::{KeyId, SigningKey},
};
use proptest::prelude::*;
use serde_json::Value;
use std::{borrow::Cow, path::Path};

/// Reads a file from `tests/vectors`. The TypeScript tests read the same files.
pub fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

pub fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_else(|| panic!("{member} is not text in {value}"))
}

pub fn bytes(value: &Value, member: &str) -> Vec<u8> {
    base16ct::mixed::decode_vec(text(value, member)).unwrap()
}

pub fn key_of(vector: &Value) -> SigningKey {
    SigningKey::from_seed(&bytes(vector, "seed").try_into().unwrap())
}

pub fn signing_key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

/// Drops the ids of verified bundles.
pub fn bundles_of(verified: Vec<VerifiedBundle<'_>>) -> Vec<Bundle<'_>> {
    verified.into_iter().map(|one| one.bundle).collect()
}

/// Generates valid bundles that name [`signing_key`] as their signer.
pub fn any_bundle() -> impl Strategy<Value = Bundle<'static>> {
    let action = prop::sample::select(Action::ALL.to_vec());
    let layer = prop::sample::select(Layer::ALL.to_vec());
    let annotations = prop::collection::vec(any_annotation(), 0..6);
    let inputs = prop::option::of(any_inputs());
    (action, ".{0,20}", ".{0,20}", inputs, ".{0,20}", layer, annotations).prop_map(
        |(action, key, previous, inputs, host, layer, annotations)| Bundle {
            action,
            key: key.into(),
            previous_key: (action == Action::Mutate && inputs.is_none()).then(|| previous.into()),
            inputs: inputs.filter(|_| action == Action::Mutate).map(Inputs::All),
            hash: Hash::None,
            host: host.into(),
            layer,
            timestamp: "2026-11-20T10:00:00.123456Z".into(),
            signer: signing_key().verifying_key().id(),
            annotations,
        },
    )
}

pub fn any_inputs() -> impl Strategy<Value = Vec<Input<'static>>> {
    let digest = prop::array::uniform32(any::<u8>());
    let hashed = |bytes: &[u8]| Cow::Owned(base16ct::upper::encode_string(bytes));
    let input = prop_oneof![
        ".{0,20}".prop_map(|key| Input::Payload { hash: Hash::None, key: key.into() }),
        digest.prop_map(move |digest| Input::Payload { hash: Hash::Sha256, key: hashed(&digest) }),
        digest.prop_map(move |digest| Input::Payload { hash: Hash::Md5, key: hashed(&digest[..16]) }),
        digest.prop_map(Input::Set),
    ];
    prop::collection::vec(input, 1..9)
}

fn any_annotation() -> impl Strategy<Value = Annotation<'static>> {
    (any::<u128>(), ".{1,12}", ".{0,12}", any::<bool>()).prop_map(|(id, kind, tag, is_satisfied)| {
        Annotation { id: ::ulid::Ulid(id).into(), kind: kind.into(), tag: tag.into(), is_satisfied }
    })
}

pub fn key_id(public_key: &[u8]) -> KeyId {
    KeyId::of(public_key.try_into().unwrap())
}
