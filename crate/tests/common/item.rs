//! Represents CBOR as a tree of items (RFC 8949 §3), so that tests can alter messages. It implements the JSON meaning
//! of items in `FORMAT.md` independently.

use serde_json::{Map, Value};

/// A CBOR item, or a forbidden encoding of an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Unsigned(u64),
    Negative(u64),
    Bytes(Vec<u8>),
    /// Text, which need not be UTF-8.
    Text(Vec<u8>),
    Array(Vec<Item>),
    Map(Vec<(Item, Item)>),
    Tag(Box<Item>),
    /// Raw bytes: true, false, null, floats, and bytes that are not CBOR at all.
    Other(Vec<u8>),
    /// Item with a head that is longer than necessary.
    Long(Box<Item>),
    /// Item of indefinite length.
    Indefinite(Box<Item>),
}

pub const NAMES: [&str; 23] = [
    "action",
    "messageType",
    "content",
    "signature",
    "signer",
    "key",
    "previousKey",
    "hash",
    "host",
    "layer",
    "timestamp",
    "annotations",
    "id",
    "kind",
    "tag",
    "isSatisfied",
    "bundles",
    "proof",
    "index",
    "size",
    "path",
    "inputs",
    "set",
];

pub const FALSE: u8 = 0xf4;
pub const TRUE: u8 = 0xf5;

impl Item {
    /// Converts a JSON message, or a part of one, by the rules of `FORMAT.md`.
    pub fn of(value: &Value, name: &str, hash: &str) -> Self {
        match value {
            Value::Object(members) => Self::of_members(members),
            Value::Array(items) => Self::Array(items.iter().map(|item| Self::of(item, name, hash)).collect()),
            Value::Bool(value) => Self::Other(vec![if *value { TRUE } else { FALSE }]),
            Value::Number(number) => Self::Unsigned(number.as_u64().unwrap()),
            Value::String(text) if is_bytes(name, hash) => {
                Self::Bytes(base16ct::mixed::decode_vec(text).unwrap())
            }
            Value::String(text) => Self::Text(text.clone().into_bytes()),
            Value::Null => Self::Other(vec![0xf6]),
        }
    }

    fn of_members(members: &Map<String, Value>) -> Self {
        let hash = members.get("hash").and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| NAMES.iter().position(|known| *known == name).unwrap() as u64;
        let pair = |(name, value): (&String, &Value)| (number(name), Self::of(value, name, hash));
        let mut pairs: Vec<_> = members.iter().map(pair).collect();
        pairs.sort_by_key(|(number, _)| *number);
        Self::Map(pairs.into_iter().map(|(number, value)| (Self::Unsigned(number), value)).collect())
    }

    /// Returns the item's meaning in JSON. Returns `None` if the format has no such item.
    pub fn meaning(&self, name: &str, hash: &str) -> Option<Value> {
        match self {
            Self::Unsigned(number) => Some((*number).into()),
            Self::Bytes(bytes) => is_bytes(name, hash).then(|| match name {
                "key" | "previousKey" => base16ct::upper::encode_string(bytes).into(),
                _ => base16ct::lower::encode_string(bytes).into(),
            }),
            Self::Text(text) => {
                (!is_bytes(name, hash)).then(|| String::from_utf8(text.clone()).ok().map(Value::from))?
            }
            Self::Array(items) => items.iter().map(|item| item.meaning(name, hash)).collect(),
            Self::Map(pairs) => meaning_of_members(pairs).map(Value::Object),
            Self::Other(bytes) => match bytes[..] {
                [FALSE] => Some(false.into()),
                [TRUE] => Some(true.into()),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.push(&mut bytes, 0);
        bytes
    }

    /// Appends the item. The head is `longer` sizes above the shortest.
    fn push(&self, to: &mut Vec<u8>, longer: usize) {
        match self {
            Self::Unsigned(number) => push_head(to, 0, *number, longer),
            Self::Negative(number) => push_head(to, 1, *number, longer),
            Self::Bytes(bytes) => {
                push_head(to, 2, bytes.len() as u64, longer);
                to.extend(bytes);
            }
            Self::Text(text) => {
                push_head(to, 3, text.len() as u64, longer);
                to.extend(text);
            }
            Self::Array(items) => {
                push_head(to, 4, items.len() as u64, longer);
                items.iter().for_each(|item| item.push(to, 0));
            }
            Self::Map(pairs) => {
                push_head(to, 5, pairs.len() as u64, longer);
                pairs.iter().flat_map(|(key, value)| [key, value]).for_each(|item| item.push(to, 0));
            }
            Self::Tag(item) => {
                to.push(0xc1);
                item.push(to, longer);
            }
            Self::Other(bytes) => to.extend(bytes),
            Self::Long(item) => item.push(to, longer + 1),
            Self::Indefinite(item) => item.push_indefinite(to),
        }
    }

    fn push_indefinite(&self, to: &mut Vec<u8>) {
        match self {
            Self::Bytes(_) => to.push(0x5f),
            Self::Text(_) => to.push(0x7f),
            Self::Array(_) => to.push(0x9f),
            Self::Map(_) => to.push(0xbf),
            other => return other.push(to, 0),
        }
        match self {
            Self::Array(items) => items.iter().for_each(|item| item.push(to, 0)),
            Self::Map(pairs) => {
                pairs.iter().flat_map(|(key, value)| [key, value]).for_each(|item| item.push(to, 0));
            }
            chunk => chunk.push(to, 0),
        }
        to.push(0xff);
    }

    /// Returns the number of items in the tree, including the root.
    pub fn count(&self) -> usize {
        let mut count = 0;
        self.clone().each(&mut |_| count += 1);
        count
    }

    /// Passes each item to `act`. An outer item comes before the items in it.
    pub fn each(&mut self, act: &mut dyn FnMut(&mut Self)) {
        act(self);
        match self {
            Self::Array(items) => items.iter_mut().for_each(|item| item.each(act)),
            Self::Map(pairs) => pairs.iter_mut().for_each(|(key, value)| {
                key.each(act);
                value.each(act);
            }),
            _ => {}
        }
    }
}

/// Returns true if CBOR has bytes for this member, where JSON has hexadecimal digits.
fn is_bytes(name: &str, hash: &str) -> bool {
    match name {
        "signature" | "signer" | "path" | "set" => true,
        "key" | "previousKey" => hash != "none",
        _ => false,
    }
}

fn meaning_of_members(pairs: &[(Item, Item)]) -> Option<Map<String, Value>> {
    let name = |key: &Item| match key {
        Item::Unsigned(number) => NAMES.get(*number as usize).copied(),
        _ => None,
    };
    let hash = pairs.iter().find(|(key, _)| name(key) == Some("hash"));
    let hash = hash.and_then(|(_, value)| value.meaning("hash", "")).unwrap_or_default();
    let mut members = Map::new();
    for (key, value) in pairs {
        let name = name(key)?;
        let value = value.meaning(name, hash.as_str().unwrap_or_default())?;
        if members.insert(name.to_owned(), value).is_some() {
            return None;
        }
    }
    Some(members)
}

/// Appends a head (RFC 8949 §3) of the major type and the argument. The head is `longer` sizes above the shortest.
fn push_head(to: &mut Vec<u8>, major: u8, argument: u64, longer: usize) {
    let shortest = match argument {
        0..=0x17 => 0,
        0x18..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 3,
        _ => 4,
    };
    match (shortest + longer).min(4) {
        0 => to.push(major << 5 | argument as u8),
        size => {
            to.push(major << 5 | (23 + size as u8));
            to.extend(&argument.to_be_bytes()[8 - (1 << (size - 1))..]);
        }
    }
}
