//! A bundle, which contains all statements of one SDK call about one payload, and the limits of its fields.

use crate::{
    digest::Hash,
    error::{Code, Error, Result},
    inputs::Inputs,
    keys::KeyId,
    limits::{MAX_ANNOTATIONS, MAX_NAME, MAX_TAG},
    merkle::Node,
    timestamp,
    ulid::Ulid,
};
use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::{
    fmt,
    ops::{Deref, RangeInclusive},
};

/// Action of the application on the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The payload was created by this application.
    Create,
    /// The payload was made from one earlier payload, named by its key, or from several inputs.
    Mutate,
    /// The payload arrived unchanged.
    Transit,
    /// The payload was published.
    Publish,
}

impl Action {
    /// All actions, in the order of their numbers at the WebAssembly boundary.
    pub const ALL: [Self; 4] = [Self::Create, Self::Mutate, Self::Transit, Self::Publish];

    /// Returns the action with this number.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when no action has this number.
    pub fn numbered(number: usize) -> Result<Self> {
        Self::ALL.get(number).copied().ok_or_else(|| no_action(number))
    }

    /// Returns the action's name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Mutate => "mutate",
            Self::Transit => "transit",
            Self::Publish => "publish",
        }
    }

    /// Returns the action with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }
}

#[cold]
fn no_action(number: usize) -> Error {
    let count = Action::ALL.len();
    Code::ConfigInvalid.error(format!("action: expected a number below {count}, got {number}"))
}

/// Layer of the stack at which the annotations were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The application.
    App,
    /// The pipeline that built the application.
    CiCd,
    /// The operating system.
    Os,
    /// The machine.
    Host,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 4] = [Self::App, Self::CiCd, Self::Os, Self::Host];

    /// Returns the layer's name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::CiCd => "cicd",
            Self::Os => "os",
            Self::Host => "host",
        }
    }

    /// Returns the layer with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == name)
    }
}

/// The answer of one annotator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    /// Unique id. The ids of a signer increase in the order of the answers.
    pub id: Ulid,
    /// Kind of the check, such as `src` or `tls`.
    pub kind: Cow<'a, str>,
    /// Text by which the operator finds the annotation, such as a version or a host.
    pub tag: Cow<'a, str>,
    /// Answer of the annotator: true if what it checks is in order.
    pub is_satisfied: bool,
}

/// All annotations of one SDK call, and the payload that they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// Action on the payload.
    pub action: Action,
    /// Key of the payload.
    pub key: Cow<'a, str>,
    /// Key of the earlier payload. [`Action::Mutate`] needs either this key or `inputs`; other actions have neither.
    pub previous_key: Option<Cow<'a, str>>,
    /// Sources of the payload. `None` if the payload has no source, or one source with the same hash (`previous_key`).
    pub inputs: Option<Inputs<'a>>,
    /// Hash that made `key` and `previous_key`.
    pub hash: Hash,
    /// Name of the machine that made the annotations.
    pub host: Cow<'a, str>,
    /// Layer of the machine's stack.
    pub layer: Layer,
    /// Time in RFC 3339, exactly as in the message.
    pub timestamp: Cow<'a, str>,
    /// Id of the signing key.
    pub signer: KeyId,
    /// Answers of the annotators.
    pub annotations: Vec<Annotation<'a>>,
}

/// A bundle with a verified signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedBundle<'a> {
    /// Contents of the bundle.
    pub bundle: Bundle<'a>,
    /// Id of these contents in every encoding (`FORMAT.md`, "Bundle ids"): the hash of the bundle's leaf.
    pub id: Node,
}

impl<'a> Deref for VerifiedBundle<'a> {
    type Target = Bundle<'a>;

    fn deref(&self) -> &Bundle<'a> {
        &self.bundle
    }
}

impl Bundle<'_> {
    /// Returns a text `field: expected, got` for every field that breaks a limit. A valid bundle's list is empty.
    ///
    /// Readers and writers use the same checks, so that no bundle is written that cannot be read.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        self.check_keys(&mut faults);
        check_length(&mut faults, format_args!("host"), &self.host, 0..=MAX_NAME);
        if !timestamp::is_rfc3339(&self.timestamp) {
            faults.push(format!("timestamp: expected an RFC 3339 date-time, got {}", quote(&self.timestamp)));
        }
        if self.annotations.len() > MAX_ANNOTATIONS {
            faults.push(format!(
                "annotations: expected at most {MAX_ANNOTATIONS}, got {}",
                self.annotations.len()
            ));
        }
        for (at, annotation) in self.annotations.iter().enumerate() {
            let (kind, tag) = (&annotation.kind, &annotation.tag);
            check_length(&mut faults, format_args!("annotations[{at}].kind"), kind, 1..=MAX_NAME);
            check_length(&mut faults, format_args!("annotations[{at}].tag"), tag, 0..=MAX_TAG);
        }
        faults
    }

    fn check_keys(&self, faults: &mut Vec<String>) {
        for (field, key) in [("key", Some(&self.key)), ("previousKey", self.previous_key.as_ref())] {
            if let Some(key) = key.filter(|key| !self.hash.is_key(key)) {
                faults.push(format!("{field}: expected a {} key, got {}", self.hash.as_str(), quote(key)));
            }
        }
        let (is_mutate, previous) = (self.action == Action::Mutate, self.previous_key.is_some());
        match (previous, self.inputs.is_some()) {
            (false, false) if is_mutate => {
                faults.push("previousKey: needs a payload key with action mutate".into());
            }
            (true, true) if is_mutate => faults.push("previousKey: cannot be combined with inputs".into()),
            (false, false) => {}
            _ if is_mutate => {}
            _ => {
                let field = if previous { "previousKey" } else { "inputs" };
                faults.push(format!("{field}: cannot be combined with action {}", self.action.as_str()));
            }
        }
    }

    /// Returns the bundle, or one error that lists all faults.
    ///
    /// # Errors
    /// `code`, with the faults as text.
    pub fn checked(self, code: Code) -> Result<Self> {
        let faults = self.faults();
        if faults.is_empty() { Ok(self) } else { Err(code.error(listed(&faults))) }
    }
}

fn check_length(
    faults: &mut Vec<String>,
    field: fmt::Arguments<'_>,
    text: &str,
    length: RangeInclusive<usize>,
) {
    if !length.contains(&text.len()) {
        let (least, most) = (length.start(), length.end());
        faults.push(format!("{field}: expected {least} to {most} bytes, got {}", text.len()));
    }
}

/// Joins faults into one text: the first eight, and the number of the others, because there can be a thousand.
pub fn listed(faults: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = faults[..faults.len().min(SHOWN)].join("; ");
    match faults.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// Quotes a text from another party for an error message. A text that may be a secret is only described.
pub fn quote(text: &str) -> String {
    if is_quotable(text) { escape(text) } else { format!("a text of {} characters", text.chars().count()) }
}

/// Returns true if errors may quote a text. Long ones, and ones with `@` or random characters, may be secrets.
fn is_quotable(text: &str) -> bool {
    const MAX_QUOTED: usize = 39;
    const MIN_RUN: usize = 16;
    let is_long_run = |run: &str| {
        run.len() >= MIN_RUN
            && run.contains(|c: char| c.is_ascii_digit())
            && run.contains(|c: char| c.is_ascii_alphabetic())
    };
    let between = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '=');
    text.chars().count() <= MAX_QUOTED && !text.contains('@') && !text.split(between).any(is_long_run)
}

/// Cuts and escapes a text from another party, so that it is safe in errors, terminals and logs.
pub fn escape(text: &str) -> String {
    let cut = text.char_indices().nth(40).and_then(|(at, _)| text.get(..at)).unwrap_or(text);
    let mut quoted = String::from("\"");
    for character in cut.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // Escape control characters, line separators, and marks that change the direction of writing.
            '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push_str(if cut.len() < text.len() { "\"…" } else { "\"" });
    quoted
}
