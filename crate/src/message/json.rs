//! bundle/1 as JSON: written by hand into one buffer, read strictly.

use super::{BUNDLE_TYPE, MAX_MESSAGE, SignedBundle, push_string, reader::Reader};
use crate::{
    bundle::{Action, Annotation, Bundle, Layer, MAX_ANNOTATIONS, listed, quote},
    digest::Hash,
    error::{Code, Error, Result},
    keys::{KeyId, SIGNATURE_LENGTH},
    ulid::{ULID_LENGTH, parse_canonical},
};
use std::borrow::Cow;

/// A message whose signature is still to come.
#[derive(Clone, Debug)]
pub struct Unsigned {
    bytes: Vec<u8>,
    signature_at: usize,
}

impl Unsigned {
    /// The message of a bundle, with zeros where the signature will stand.
    pub fn new(bundle: &Bundle<'_>) -> Self {
        let mut bytes = Vec::with_capacity(512 + 128 * bundle.annotations.len());
        push(&mut bytes, r#"{"action":""#);
        push(&mut bytes, bundle.action.as_str());
        push(&mut bytes, r#"","messageType":""#);
        push(&mut bytes, BUNDLE_TYPE);
        push(&mut bytes, r#"","content":{"signature":""#);
        let signature_at = bytes.len();
        bytes.resize(signature_at + 2 * SIGNATURE_LENGTH, b'0');
        push(&mut bytes, r#"","#);
        push_members(&mut bytes, bundle);
        push(&mut bytes, "}}");
        Self { bytes, signature_at }
    }

    /// The finished message.
    pub fn signed(mut self, signature: &[u8; SIGNATURE_LENGTH]) -> Vec<u8> {
        let place = &mut self.bytes[self.signature_at..][..2 * SIGNATURE_LENGTH];
        // The place has exactly the length that the encoder asks for.
        let _ = base16ct::lower::encode(signature, place);
        self.bytes
    }
}

/// The bundle as one flat JSON object, for the consumer of a verified message.
pub fn bundle_object(bundle: &Bundle<'_>) -> String {
    let mut bytes = Vec::with_capacity(384 + 128 * bundle.annotations.len());
    push(&mut bytes, r#"{"action":""#);
    push(&mut bytes, bundle.action.as_str());
    push(&mut bytes, r#"","#);
    push_members(&mut bytes, bundle);
    push(&mut bytes, "}");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `"signer":…,"key":…,…,"annotations":[…]`
fn push_members(bytes: &mut Vec<u8>, bundle: &Bundle<'_>) {
    push(bytes, r#""signer":""#);
    push(bytes, bundle.signer.as_str());
    push(bytes, r#"","key":"#);
    push_string(bytes, &bundle.key);
    if let Some(previous) = &bundle.previous_key {
        push(bytes, r#","previousKey":"#);
        push_string(bytes, previous);
    }
    push(bytes, r#","hash":""#);
    push(bytes, bundle.hash.as_str());
    push(bytes, r#"","host":"#);
    push_string(bytes, &bundle.host);
    push(bytes, r#","layer":""#);
    push(bytes, bundle.layer.as_str());
    push(bytes, r#"","timestamp":"#);
    push_string(bytes, &bundle.timestamp);
    push(bytes, r#","annotations":["#);
    for (at, annotation) in bundle.annotations.iter().enumerate() {
        push(bytes, if at == 0 { r#"{"id":""# } else { r#",{"id":""# });
        push(bytes, annotation.id.array_to_str(&mut [0; ULID_LENGTH]));
        push(bytes, r#"","kind":"#);
        push_string(bytes, &annotation.kind);
        push(bytes, r#","tag":"#);
        push_string(bytes, &annotation.tag);
        push(bytes, r#","isSatisfied":"#);
        push(bytes, if annotation.is_satisfied { "true}" } else { "false}" });
    }
    push(bytes, "]");
}

fn push(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(text.as_bytes());
}

/// The members of a message as they stand, each given at most once.
#[derive(Default)]
struct Envelope<'a> {
    action: Option<Cow<'a, str>>,
    message_type: Option<Cow<'a, str>>,
    content: Option<Reader<'a>>,
}

#[derive(Default)]
struct Content<'a> {
    signature: Option<Cow<'a, str>>,
    signer: Option<Cow<'a, str>>,
    key: Option<Cow<'a, str>>,
    previous_key: Option<Cow<'a, str>>,
    hash: Option<Cow<'a, str>>,
    host: Option<Cow<'a, str>>,
    layer: Option<Cow<'a, str>>,
    timestamp: Option<Cow<'a, str>>,
    annotations: Option<Vec<Item<'a>>>,
}

#[derive(Default)]
struct Item<'a> {
    id: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    tag: Option<Cow<'a, str>>,
    is_satisfied: Option<bool>,
}

/// Reads a message and checks its structure. Members that the format does not know are refused: nobody
/// signed them. So are members given twice, which two readers could understand differently.
///
/// # Errors
/// `MESSAGE_MALFORMED`, naming every field that is wrong.
pub fn decode(message: &[u8]) -> Result<SignedBundle<'_>> {
    if message.len() > MAX_MESSAGE {
        return Err(malformed(&format!("expected at most {MAX_MESSAGE} bytes, got {}", message.len())));
    }
    let envelope = read_envelope(message)?;
    match (envelope.message_type, envelope.content) {
        (Some(message_type), Some(mut content)) if message_type == BUNDLE_TYPE => {
            structured(envelope.action, read_content(&mut content)?)
        }
        (message_type, Some(_)) => {
            let got = got(message_type.as_deref());
            Err(malformed(&format!("messageType: expected \"{BUNDLE_TYPE}\", got {got}")))
        }
        (_, None) => Err(malformed("content: expected an object, got nothing")),
    }
}

fn read_envelope(message: &[u8]) -> Result<Envelope<'_>> {
    let mut envelope = Envelope::default();
    let mut reader = Reader::new(message)?;
    reader.object(&mut |reader, name| match name {
        "action" => reader.once(name, &mut envelope.action, Reader::string),
        "messageType" => reader.once(name, &mut envelope.message_type, Reader::string),
        "content" => reader.once(name, &mut envelope.content, Reader::skip),
        _ => Err(reader.unknown(name)),
    })?;
    reader.end()?;
    Ok(envelope)
}

fn read_content<'a>(reader: &mut Reader<'a>) -> Result<Content<'a>> {
    let mut content = Content::default();
    reader.object(&mut |reader, name| match name {
        "signature" => reader.once(name, &mut content.signature, Reader::string),
        "signer" => reader.once(name, &mut content.signer, Reader::string),
        "key" => reader.once(name, &mut content.key, Reader::string),
        "previousKey" => reader.once(name, &mut content.previous_key, Reader::string),
        "hash" => reader.once(name, &mut content.hash, Reader::string),
        "host" => reader.once(name, &mut content.host, Reader::string),
        "layer" => reader.once(name, &mut content.layer, Reader::string),
        "timestamp" => reader.once(name, &mut content.timestamp, Reader::string),
        "annotations" => reader.once(name, &mut content.annotations, read_annotations),
        _ => Err(reader.unknown(name)),
    })?;
    Ok(content)
}

fn read_annotations<'a>(reader: &mut Reader<'a>) -> Result<Vec<Item<'a>>> {
    let mut items = Vec::new();
    reader.array(&mut |reader| {
        if items.len() == MAX_ANNOTATIONS {
            return Err(malformed(&format!("annotations: expected at most {MAX_ANNOTATIONS}, got more")));
        }
        items.push(read_item(reader)?);
        Ok(())
    })?;
    Ok(items)
}

fn read_item<'a>(reader: &mut Reader<'a>) -> Result<Item<'a>> {
    let mut item = Item::default();
    reader.object(&mut |reader, name| match name {
        "id" => reader.once(name, &mut item.id, Reader::string),
        "kind" => reader.once(name, &mut item.kind, Reader::string),
        "tag" => reader.once(name, &mut item.tag, Reader::string),
        "isSatisfied" => reader.once(name, &mut item.is_satisfied, Reader::boolean),
        _ => Err(reader.unknown(name)),
    })?;
    Ok(item)
}

fn malformed(what: &str) -> Error {
    Code::MessageMalformed.error(format!("message: {what}"))
}

/// Turns texts into their types, and collects every one that does not fit.
fn structured<'a>(action: Option<Cow<'a, str>>, content: Content<'a>) -> Result<SignedBundle<'a>> {
    let mut faults = Faults::default();
    let action = faults.parsed("action", "create, mutate, transit or publish", action, Action::parse);
    let signature =
        faults.parsed("signature", "128 lower-case hexadecimal digits", content.signature, parse_signature);
    let signer = faults.parsed("signer", "32 lower-case hexadecimal digits", content.signer, KeyId::parse);
    let key = faults.present("key", content.key);
    let hash = faults.parsed("hash", "sha256, md5 or none", content.hash, Hash::parse);
    let host = faults.present("host", content.host);
    let layer = faults.parsed("layer", "app, cicd, os or host", content.layer, Layer::parse);
    let timestamp = faults.present("timestamp", content.timestamp);
    let items = faults.present("annotations", content.annotations);
    let annotations = items.map(|items| annotations(&mut faults, items));
    let bundle = (|| {
        let (action, key, previous_key, hash) = (action?, key?, content.previous_key, hash?);
        let (host, layer, timestamp, signer, annotations) =
            (host?, layer?, timestamp?, signer?, annotations?);
        let bundle = Bundle { action, key, previous_key, hash, host, layer, timestamp, signer, annotations };
        Some(SignedBundle { bundle, signature: signature? })
    })();
    match bundle.filter(|_| faults.list.is_empty()) {
        None => Err(malformed(&listed(&faults.list))),
        Some(SignedBundle { bundle, signature }) => {
            Ok(SignedBundle { bundle: bundle.checked(Code::MessageMalformed)?, signature })
        }
    }
}

fn annotations<'a>(faults: &mut Faults, items: Vec<Item<'a>>) -> Vec<Annotation<'a>> {
    let read = |item: Item<'a>| {
        let id = faults.parsed("annotations.id", "a ULID of 26 characters", item.id, parse_canonical);
        let kind = faults.present("annotations.kind", item.kind);
        let tag = faults.present("annotations.tag", item.tag);
        let is_satisfied = faults.present("annotations.isSatisfied", item.is_satisfied);
        Some(Annotation { id: id?, kind: kind?, tag: tag?, is_satisfied: is_satisfied? })
    };
    items.into_iter().filter_map(read).collect()
}

/// The fields that are missing or wrong.
#[derive(Default)]
struct Faults {
    list: Vec<String>,
}

impl Faults {
    fn present<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.list.push(format!("{field}: expected one, got nothing"));
        }
        value
    }

    fn parsed<T>(
        &mut self,
        field: &str,
        expected: &str,
        text: Option<Cow<'_, str>>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = text.as_deref().and_then(parse);
        if value.is_none() {
            self.list.push(format!("{field}: expected {expected}, got {}", got(text.as_deref())));
        }
        value
    }
}

fn got(text: Option<&str>) -> String {
    text.map_or_else(|| "nothing".to_owned(), quote)
}

fn parse_signature(text: &str) -> Option<[u8; SIGNATURE_LENGTH]> {
    let mut signature = [0; SIGNATURE_LENGTH];
    let decoded = base16ct::lower::decode(text, &mut signature).ok()?;
    (decoded.len() == SIGNATURE_LENGTH).then_some(signature)
}
