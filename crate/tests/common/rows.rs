//! Builds the rows of a batch in CBOR by `FORMAT.md`, independently of the crate's writer.

use super::item::Item;
use alvarium_core::timestamp::format_micros;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Converts a JSON message to a CBOR item. The bundles of a batch become rows.
pub fn item_of(json: &[u8]) -> Item {
    let mut message: Value = serde_json::from_slice(json).unwrap();
    let bundles = message["content"].as_object_mut().and_then(|content| content.remove("bundles"));
    let mut item = Item::of(&message, "", "");
    if let (Some(bundles), Item::Map(members)) = (bundles, &mut item)
        && let Some((_, Item::Map(content))) = members.last_mut()
    {
        content.push((Item::Unsigned(16), rows_of(bundles.as_array().unwrap())));
    }
    item
}

fn rows_of(bundles: &[Value]) -> Item {
    let (mut known, mut last_id, mut last_time) = (Vec::new(), None, None);
    let rows = bundles.iter().map(|bundle| {
        let Item::Map(members) = Item::of(bundle, "", "") else { panic!("not an object: {bundle}") };
        let own = |number: u64| members.iter().find(|(key, _)| *key == Item::Unsigned(number)).cloned();
        let mut row =
            vec![members_item(&mut known, [0, 7, 8, 9, 11].map(|number| own(number).unwrap()).to_vec())];
        for annotation in bundle["annotations"].as_array().unwrap() {
            row.push(id_item(annotation["id"].as_str().unwrap(), &mut last_id));
        }
        row.push(time_item(bundle["timestamp"].as_str().unwrap(), &mut last_time));
        row.extend([5, 6, 21].into_iter().filter_map(own).map(|(_, value)| value));
        Item::Array(row)
    });
    Item::Array(rows.collect())
}

/// Returns the map of shared members, without the ids of annotations, or the number of an equal earlier map.
fn members_item(known: &mut Vec<Item>, members: Vec<(Item, Item)>) -> Item {
    let mut members = Item::Map(members);
    members.each(&mut |item| {
        if let Item::Map(pairs) = item {
            pairs.retain(|(key, _)| *key != Item::Unsigned(12));
        }
    });
    if let Some(number) = known.iter().position(|one| *one == members) {
        return Item::Unsigned(number as u64);
    }
    known.push(members.clone());
    members
}

fn id_item(id: &str, last: &mut Option<u128>) -> Item {
    let id = ::ulid::Ulid::from_string(id).unwrap().0;
    let before = last.replace(id);
    match before.filter(|before| (*before..before.saturating_add(1 << 32)).contains(&id)) {
        Some(before) => Item::Unsigned((id - before) as u64),
        None => Item::Bytes(id.to_be_bytes().to_vec()),
    }
}

fn time_item(timestamp: &str, last: &mut Option<i128>) -> Item {
    let text = Item::Text(timestamp.into());
    let before = std::mem::replace(last, micros_of(timestamp));
    let (Some(before), Some(now)) = (before, *last) else { return text };
    match now - before {
        difference @ 0..0x1_0000_0000 => Item::Unsigned(difference as u64),
        _ => text,
    }
}

/// Reads a timestamp with the crate `time`.
fn micros_of(timestamp: &str) -> Option<i128> {
    let micros = OffsetDateTime::parse(timestamp, &Rfc3339).ok()?.unix_timestamp_nanos() / 1000;
    (micros >= 0 && format_micros(micros as u64) == timestamp).then_some(micros)
}
