//! Tests that identity bytes are injective, by reading every field back from them.

mod common;

use alvarium_core::{
    bundle::Bundle,
    identity::{DOMAIN, INPUTS_DOMAIN, identity_bytes},
};
use common::any_bundle;
use proptest::prelude::*;

/// Reads identity bytes by the rules of `FORMAT.md`. This is possible only because they are injective.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (field, rest) = self.0.split_at(length);
        self.0 = rest;
        field
    }

    fn number(&mut self) -> usize {
        u32::from_be_bytes(self.take(4).try_into().unwrap()) as usize
    }

    fn text(&mut self) -> &'a str {
        let length = self.number();
        std::str::from_utf8(self.take(length)).unwrap()
    }

    fn flag(&mut self) -> bool {
        self.take(1)[0] == 1
    }
}

fn assert_reads_back(bytes: &[u8], bundle: &Bundle<'_>) {
    let domain = if bundle.inputs.is_some() { INPUTS_DOMAIN } else { DOMAIN };
    let mut fields = Fields(bytes.strip_prefix(domain).unwrap());
    assert_eq!(fields.text(), bundle.action.as_str());
    assert_eq!(fields.text(), bundle.key);
    if let Some(inputs) = &bundle.inputs {
        assert_eq!(fields.number(), inputs.short().size);
        assert_eq!(fields.take(32), inputs.short().root);
    } else {
        let previous = fields.flag().then(|| fields.text());
        assert_eq!(previous, bundle.previous_key.as_deref());
    }
    assert_eq!(fields.text(), bundle.hash.as_str());
    assert_eq!(fields.text(), bundle.host);
    assert_eq!(fields.text(), bundle.layer.as_str());
    assert_eq!(fields.text(), bundle.timestamp);
    assert_eq!(fields.text(), bundle.signer.as_str());
    assert_eq!(fields.number(), bundle.annotations.len());
    for annotation in &bundle.annotations {
        assert_eq!(fields.text(), annotation.id.as_str());
        assert_eq!(fields.text(), annotation.kind);
        assert_eq!(fields.text(), annotation.tag);
        assert_eq!(fields.flag(), annotation.is_satisfied);
    }
    assert!(fields.0.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_field_can_be_read_back_from_the_bytes(bundle in any_bundle()) {
        assert_reads_back(&identity_bytes(&bundle), &bundle);
    }

    // claim: threats-7
    #[test]
    fn two_different_bundles_have_different_bytes(one in any_bundle(), other in any_bundle()) {
        prop_assert_eq!(one == other, identity_bytes(&one) == identity_bytes(&other));
    }

    #[test]
    fn moving_characters_from_one_field_to_the_next_changes_the_bytes(
        bundle in any_bundle(), text in ".{2,10}", kind in ".{1,4}", cut in 1_usize..10,
    ) {
        let chars: Vec<char> = text.chars().collect();
        let (left, right) = chars.split_at(cut.min(chars.len() - 1));
        let (left, right): (String, String) = (left.iter().collect(), right.iter().collect());
        let with = |host: String, key: String| {
            identity_bytes(&Bundle { host: host.into(), key: key.into(), ..bundle.clone() })
        };
        prop_assert_ne!(with(left.clone() + &right, kind.clone()), with(left, right + &kind));
    }
}
