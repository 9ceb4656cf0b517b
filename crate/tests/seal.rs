//! Tests which calls a sealer accepts, up to each limit's last byte, and drafts that are signed outside the core.

mod common;

use alvarium_core::{
    batch::Batch,
    bundle::{Action, Layer},
    digest::{Hash, Payload},
    error::{Code, Error},
    keys::Keyring,
    seal::{Annotators, Call, Sealer},
    verify::{Extent, Verifier, identity_of},
};
use common::signing_key;

fn sealer(hash: Hash, host: &str, annotators: Annotators) -> Result<Sealer, Error> {
    Sealer::new(signing_key().verifying_key().id(), hash, host, Layer::App, annotators)
}

fn call(payload: &[u8], asked: u32, answers: u32) -> Call<'_> {
    Call {
        action: Action::Create,
        payload: Payload::Bytes(payload),
        previous: None,
        inputs: None,
        asked,
        answers,
        micros: 1_795_000_000_000_000,
        entropy: 7,
        tag: None,
    }
}

fn verifier() -> Verifier {
    Verifier::new(Keyring::from_iter([signing_key().verifying_key()]))
}

// claim: format-47
#[test]
fn words_are_taken_up_to_their_limits_in_bytes() {
    let refusal = |kinds: Vec<String>, tag: &str| match Annotators::new(kinds, tag) {
        Ok(_) => String::new(),
        Err(error) => {
            assert_eq!(error.code, Code::ConfigInvalid);
            error.message
        }
    };
    let kinds = |count: usize| vec!["k".to_owned(); count];
    assert_eq!(refusal(kinds(32), ""), "");
    assert_eq!(refusal(kinds(33), ""), "annotators: expected 0 to 32 annotators, got 33");
    assert_eq!(refusal(vec!["k".repeat(255)], &"t".repeat(1024)), "");
    assert_eq!(refusal(vec![format!("{}k", "ü".repeat(127))], &"ü".repeat(512)), "");
    assert_eq!(refusal(vec![String::new()], ""), "annotators[0].kind: expected 1 to 255 bytes, got 0");
    assert_eq!(refusal(vec!["ü".repeat(128)], ""), "annotators[0].kind: expected 1 to 255 bytes, got 256");
    assert_eq!(refusal(vec![], &format!("{}t", "ü".repeat(512))), "tag: expected 0 to 1024 bytes, got 1025");
    assert!(sealer(Hash::Sha256, &"数".repeat(85), Annotators::default()).is_ok());
    let error = sealer(Hash::Sha256, &format!("{}h", "数".repeat(85)), Annotators::default()).unwrap_err();
    assert_eq!(error.to_string(), "CONFIG_INVALID: host: expected 0 to 255 bytes, got 256");
}

#[test]
fn each_annotator_that_was_asked_has_its_own_answer() {
    let kinds: Vec<String> = (0..32).map(|at| format!("kind-{at}")).collect();
    let mut sealer = sealer(Hash::Sha256, "", Annotators::new(kinds, "").unwrap()).unwrap();
    let (asked, answers) =
        (0b1010_0110_0000_0000_0000_0000_0000_1011_u32, 0b1000_0010_0000_0000_0000_0000_0000_0010);
    let message = sealer.seal(&call(b"a", asked, answers), &signing_key()).unwrap();
    let [bundle] = verifier().verify(&message).unwrap().try_into().unwrap();
    let got: Vec<_> = bundle.annotations.iter().map(|one| (one.kind.to_string(), one.is_satisfied)).collect();
    let expected: Vec<_> = (0..32)
        .filter(|bit| asked & (1 << bit) != 0)
        .map(|bit| (format!("kind-{bit}"), answers & (1 << bit) != 0))
        .collect();
    assert_eq!(got, expected);
}

#[test]
fn what_no_reader_takes_is_not_sealed() {
    let mut sealer = sealer(Hash::Sha256, "h", Annotators::default()).unwrap();
    let mut refusal = |call: Call<'_>| sealer.seal(&call, &signing_key()).unwrap_err().to_string();
    let mutate = Call { action: Action::Mutate, ..call(b"a", 0, 0) };
    assert_eq!(refusal(mutate), "PAYLOAD_INVALID: previousKey: needs a payload key with action mutate");
    let create = Call { previous: Some(Payload::Bytes(b"b")), ..call(b"a", 0, 0) };
    assert_eq!(refusal(create), "PAYLOAD_INVALID: previousKey: cannot be combined with action create");
}

#[test]
fn a_draft_is_finished_with_the_signature_over_its_identity() {
    let mut sealer = sealer(Hash::Sha256, "edge-7", Annotators::default()).unwrap();
    let draft = sealer.draft(&call(b"a", 0, 0)).unwrap();
    let signature = signing_key().sign(draft.identity());
    assert_eq!(verifier().verify(&draft.signed(&signature)).unwrap().len(), 1);
}

#[test]
fn what_a_message_claims_is_what_would_be_verified_and_nothing_is() {
    let mut sealer = sealer(Hash::Sha256, "edge-7", Annotators::default()).unwrap();
    let draft = sealer.draft(&call(b"a", 0, 0)).unwrap();
    let identity = draft.identity().to_vec();
    let signature = signing_key().sign(&identity);
    let message = draft.signed(&signature);
    assert_eq!(identity_of(&message, true).unwrap(), identity);
    let claimed = Verifier::default().claimed(&message, Extent::Whole).unwrap();
    assert_eq!((claimed.identity, claimed.signature), (identity, signature));
    assert_eq!(claimed.signer, signing_key().verifying_key().id());
    assert_eq!(claimed.bundles, verifier().verify(&message).unwrap());
}

#[test]
fn a_payload_that_is_its_own_key_has_65536_bytes_at_the_most() {
    let mut sealer = sealer(Hash::None, "", Annotators::default()).unwrap();
    let longest = "ü".repeat(32_768);
    for text in [longest.as_str(), &"a".repeat(65_536)] {
        for payload in [Payload::Bytes(text.as_bytes()), Payload::Digest(text.as_bytes())] {
            let message = sealer.seal(&Call { payload, ..call(b"", 0, 0) }, &signing_key()).unwrap();
            assert_eq!(verifier().verify(&message).unwrap()[0].key, text);
        }
        let over = format!("{text}a");
        let error = sealer.seal(&call(over.as_bytes(), 0, 0), &signing_key()).unwrap_err();
        assert_eq!((error.code, error.message.contains("got 65537")), (Code::PayloadInvalid, true));
    }
}

#[test]
fn what_is_added_to_a_batch_is_in_it_and_what_cannot_be_is_not() {
    let mut sealer = sealer(Hash::None, "", Annotators::default()).unwrap();
    let mut batch = Batch::default();
    for text in ["a", "b", "c"] {
        sealer.add(&call(text.as_bytes(), 0, 0), &mut batch).unwrap();
    }
    assert_eq!(sealer.add(&call(&[0xff], 0, 0), &mut batch).unwrap_err().code, Code::PayloadInvalid);
    let mut same = batch.clone();
    let drafted = sealer.draft_batch(&mut same);
    let signature = signing_key().sign(drafted.identity());
    let signed_elsewhere = drafted.signed(&signature);
    let signed_here = sealer.seal_batch(&mut batch, &signing_key());
    for (message, ids) in [(signed_here, batch.take_ids()), (signed_elsewhere, same.take_ids())] {
        let bundles = verifier().verify(&message).unwrap();
        let keys: Vec<_> = bundles.iter().map(|bundle| bundle.key.to_string()).collect();
        assert_eq!(keys, ["a", "b", "c"]);
        assert_eq!(ids, bundles.iter().map(|bundle| bundle.id).collect::<Vec<_>>().concat());
    }
    assert!(batch.is_empty() && batch.take_ids().is_empty());
}

#[test]
fn a_log_has_what_was_signed_in_the_order_in_which_it_was() {
    use alvarium_core::merkle::{Tree, leaf};
    let key = signing_key();
    let mut sealer = sealer(Hash::Sha256, "h", Annotators::default()).unwrap();
    sealer.seal(&call(b"before", 0, 0), &key).unwrap();
    assert_eq!(sealer.take_leaves(), None);

    sealer.keep_log();
    let mut batch = Batch::default();
    let alone = sealer.seal(&call(b"alone", 0, 0), &key).unwrap();
    let together = sealer.seal_together(&[call(b"a", 0, 0), call(b"b", 0, 0)], &key).unwrap();
    sealer.add(&call(b"c", 0, 0), &mut batch).unwrap();
    let batched = sealer.seal_batch(&mut batch, &key);
    let draft = sealer.draft(&call(b"d", 0, 0)).unwrap();
    let messages = [vec![alone], together, vec![batched]].concat();
    let mut leaves: Vec<_> =
        messages.iter().map(|message| leaf(&identity_of(message, true).unwrap())).collect();
    leaves.push(leaf(draft.identity()));
    let root = Tree::new(&leaves).root();
    assert_eq!(sealer.take_leaves(), Some((root, leaves)));
    assert_eq!(sealer.take_leaves(), Some((root, vec![])));
}

#[test]
fn a_group_that_fails_is_not_in_the_log() {
    let mut sealer = sealer(Hash::None, "h", Annotators::default()).unwrap();
    sealer.keep_log();
    let calls = [call(b"text", 0, 0), call(&[0xff], 0, 0)];
    assert!(sealer.seal_together(&calls, &signing_key()).is_err());
    assert_eq!(sealer.take_leaves().unwrap().1.len(), 0);
}
