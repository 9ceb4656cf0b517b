//! Tests that calls in a group have the same messages as single calls.

mod common;

use alvarium_core::{
    bundle::{Action, Layer},
    crossing::{self, Flag, NUMBERS},
    digest::{Hash, Hasher, Payload},
    error::Code,
    keys::Keyring,
    seal::{Annotators, Call, Sealer},
    verify::Verifier,
};
use common::signing_key;
use proptest::prelude::*;

const MICROS: u64 = 1_795_000_000_000_000;

fn sealer(hash: Hash) -> Sealer {
    let annotators = Annotators::new(["src", "tls"], "v1").unwrap();
    Sealer::new(signing_key().verifying_key().id(), hash, "edge-7", Layer::App, annotators).unwrap()
}

fn packed(payload: &[u8], previous: Option<&[u8]>, flags: u32) -> ([u32; NUMBERS], Vec<u8>) {
    tagged(payload, previous, None, flags)
}

fn tagged(
    payload: &[u8],
    previous: Option<&[u8]>,
    tag: Option<&str>,
    flags: u32,
) -> ([u32; NUMBERS], Vec<u8>) {
    let action = if previous.is_some() { 1 } else { 0 };
    let previous_length = previous.map_or(0, |bytes| bytes.len() as u32);
    let flags = flags | previous.map_or(0, |_| Flag::Previous as u32) | tag.map_or(0, |_| Flag::Tag as u32);
    let tag = tag.unwrap_or_default();
    let (low, high) = (MICROS as u32, (MICROS >> 32) as u32);
    let (length, tag_length) = (payload.len() as u32, tag.len() as u32);
    let numbers = [action, 0b11, 0b01, low, high, 4, 5, 6, length, previous_length, flags, tag_length];
    (numbers, [payload, previous.unwrap_or_default(), tag.as_bytes()].concat())
}

fn split(joined: &[u8], count: usize) -> Vec<&[u8]> {
    let mut rest = &joined[4 * count..];
    let mut next = |at: usize| {
        let length = u32::from_le_bytes(joined[4 * at..][..4].try_into().unwrap());
        let (one, others) = rest.split_at(length as usize);
        rest = others;
        one
    };
    (0..count).map(&mut next).collect()
}

proptest! {
    #[test]
    fn each_message_is_the_one_that_its_call_gives_alone(
        payloads in prop::collection::vec(
            (any::<Vec<u8>>(), any::<Option<Vec<u8>>>(), prop::option::of("\\PC{0,9}")),
            1..40,
        ),
        hash in prop::sample::select(vec![Hash::Sha256, Hash::Md5]),
    ) {
        let parts: Vec<_> = payloads
            .iter()
            .map(|(one, previous, tag)| tagged(one, previous.as_deref(), tag.as_deref(), 0))
            .collect();
        let numbers: Vec<u32> = parts.iter().flat_map(|(numbers, _)| *numbers).collect();
        let bytes: Vec<u8> = parts.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        let calls = crossing::calls(&numbers, &bytes, hash).unwrap();
        let joined = crossing::joined(&sealer(hash).seal_together(&calls, &signing_key()).unwrap());

        let mut alone = sealer(hash);
        let messages = split(&joined, payloads.len());
        for (message, (payload, previous, tag)) in messages.iter().zip(&payloads) {
            let call = Call {
                inputs: None,
                action: if previous.is_some() { Action::Mutate } else { Action::Create },
                payload: Payload::Bytes(payload),
                previous: previous.as_deref().map(Payload::Bytes),
                asked: 0b11,
                answers: 0b01,
                micros: MICROS,
                entropy: 4 | 5 << 32 | 6 << 64,
                tag: tag.as_deref(),
            };
            prop_assert_eq!(*message, alone.seal(&call, &signing_key()).unwrap());
        }
        let mut verifier = Verifier::new(Keyring::from_iter([signing_key().verifying_key()]));
        prop_assert!(verifier.verify(messages[0]).is_ok());
    }

    #[test]
    fn numbers_that_promise_too_much_are_no_danger(numbers: Vec<u32>, bytes: Vec<u8>) {
        for hash in [Hash::Sha256, Hash::Md5, Hash::None] {
            let _ = crossing::calls(&numbers, &bytes, hash).map(|calls| sealer(hash).seal_together(&calls, &signing_key()));
        }
    }
}

#[test]
fn each_side_of_a_mutation_may_be_a_digest_in_the_place_of_its_payload() {
    let (payload, previous) = ([7; 100], [8; 90]);
    for hash in [Hash::Sha256, Hash::Md5] {
        let message = |flags: u32| {
            let place = |payload: &[u8], is_digest: bool| {
                let mut place = payload.to_vec();
                if is_digest {
                    let mut hasher = Hasher::new(hash).unwrap();
                    hasher.update(payload);
                    let digest = hasher.finish();
                    place[..digest.len()].copy_from_slice(&digest);
                }
                place
            };
            let (after, before) = (
                place(&payload, flags & Flag::Digest as u32 != 0),
                place(&previous, flags & Flag::PreviousDigest as u32 != 0),
            );
            let (numbers, bytes) = packed(&after, Some(&before), flags);
            let calls = crossing::calls(&numbers, &bytes, hash).unwrap();
            sealer(hash).seal_together(&calls, &signing_key()).unwrap()
        };
        let (digest, previous_digest) = (Flag::Digest as u32, Flag::PreviousDigest as u32);
        for flags in [digest, previous_digest, digest | previous_digest] {
            assert_eq!(message(flags), message(0), "flags {flags} with {hash:?}");
        }
    }
}

#[test]
fn a_digest_may_stand_where_its_longer_payload_was() {
    let payload = [7; 100];
    let mut place = payload;
    place[..32].copy_from_slice(&alvarium_core::sha256x4::digests(&[&payload])[0]);
    let message = |bytes: &[u8], flags| {
        let (numbers, bytes) = packed(bytes, None, flags);
        let calls = crossing::calls(&numbers, &bytes, Hash::Sha256).unwrap();
        sealer(Hash::Sha256).seal_together(&calls, &signing_key()).unwrap()
    };
    assert_eq!(message(&place, Flag::Digest as u32), message(&payload, 0));
}

#[test]
fn when_one_call_fails_none_is_sealed() {
    let (good, bad) = (packed(b"text", None, 0), packed(&[0xff], None, 0));
    let numbers = [good.0, bad.0].concat();
    let bytes = [good.1, bad.1].concat();
    let calls = crossing::calls(&numbers, &bytes, Hash::None).unwrap();
    let error = sealer(Hash::None).seal_together(&calls, &signing_key()).unwrap_err();
    assert_eq!(error.code, Code::PayloadInvalid);
}

#[test]
fn an_action_that_does_not_exist_is_refused() {
    let (mut numbers, bytes) = packed(b"a", None, 0);
    numbers[0] = 4;
    let error = crossing::calls(&numbers, &bytes, Hash::Sha256).unwrap_err();
    assert_eq!(error.to_string(), "CONFIG_INVALID: action: expected a number below 4, got 4");
}

#[test]
fn the_tag_of_a_call_stands_in_all_of_its_annotations_and_in_no_others() {
    let message = |tag| {
        let (numbers, bytes) = tagged(b"a", None, tag, 0);
        let calls = crossing::calls(&numbers, &bytes, Hash::Sha256).unwrap();
        String::from_utf8(sealer(Hash::Sha256).seal_together(&calls, &signing_key()).unwrap().remove(0))
            .unwrap()
    };
    assert_eq!(message(None).matches(r#""tag":"v1""#).count(), 2);
    assert_eq!(message(Some("line 4")).matches(r#""tag":"line 4""#).count(), 2);
    assert_eq!(message(Some("")).matches(r#""tag":"""#).count(), 2);
}

#[test]
fn bytes_that_are_no_text_are_no_tag() {
    let (numbers, mut bytes) = tagged(b"a", None, Some("b"), 0);
    bytes[1] = 0xff;
    let calls = crossing::calls(&numbers, &bytes, Hash::Sha256).unwrap();
    assert_eq!(calls[0].tag, Some(""));
}
