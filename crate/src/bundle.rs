//! A bundle: everything that one SDK call says about one payload, and its limits.

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
    /// The payload came into being here.
    Create,
    /// The payload was made from an earlier payload, named by its key, or from several.
    Mutate,
    /// The payload arrived here unchanged.
    Transit,
    /// The payload was sent on.
    Publish,
}

impl Action {
    /// All actions, in the order of their numbers at the WebAssembly boundary.
    pub const ALL: [Self; 4] = [Self::Create, Self::Mutate, Self::Transit, Self::Publish];

    /// Returns the action with this number.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when no action has it.
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

/// Layer of the stack in which the annotations were made.
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

/// One annotator's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    /// Unique, and increasing in the order in which a signer answered.
    pub id: Ulid,
    /// Kind of the check: `src`, `tls`, …
    pub kind: Cow<'a, str>,
    /// Text by which the operator finds the annotation: a version, a host.
    pub tag: Cow<'a, str>,
    /// The answer.
    pub is_satisfied: bool,
}

/// All annotations of one SDK call, and their subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// The action on the payload.
    pub action: Action,
    /// The payload's key.
    pub key: Cow<'a, str>,
    /// Key of the earlier payload. [`Action::Mutate`] needs either this or `inputs`; other actions have neither.
    pub previous_key: Option<Cow<'a, str>>,
    /// Sources of the payload, unless it has one source under the same hash.
    pub inputs: Option<Inputs<'a>>,
    /// Hash that made both keys.
    pub hash: Hash,
    /// Name of the machine that makes the statement.
    pub host: Cow<'a, str>,
    /// Layer of the machine's stack.
    pub layer: Layer,
    /// Time in RFC 3339, exactly as sent.
    pub timestamp: Cow<'a, str>,
    /// Id of the key that signs.
    pub signer: KeyId,
    /// The annotators' answers.
    pub annotations: Vec<Annotation<'a>>,
}

/// A bundle whose signature was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedBundle<'a> {
    /// Contents of the bundle.
    pub bundle: Bundle<'a>,
    /// Name of exactly these contents, in every encoding (`FORMAT.md`, "Bundle ids"): the hash of the bundle's leaf, with or
    /// without a tree.
    pub id: Node,
}

impl<'a> Deref for VerifiedBundle<'a> {
    type Target = Bundle<'a>;

    fn deref(&self) -> &Bundle<'a> {
        &self.bundle
    }
}

impl Bundle<'_> {
    /// Returns a text for every field that breaks a limit, `field: expected, got`; an empty list for a valid bundle.
    ///
    /// Both directions use the same list, so no bundle is written that cannot be read.
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
            (true, true) if is_mutate => {
                faults.push("previousKey: cannot be combined with inputs".into())
            }
            (false, false) => {}
            _ if is_mutate => {}
            _ => {
                let field = if previous { "previousKey" } else { "inputs" };
                faults.push(format!("{field}: cannot be combined with action {}", self.action.as_str()));
            }
        }
    }

    /// Returns the bundle, or one error with all its faults.
    ///
    /// # Errors
    /// `code`, with the faults.
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

/// Joins faults to one text: the first ones, and the number of the others. A small message can have a thousand.
pub fn listed(faults: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = faults[..faults.len().min(SHOWN)].join("; ");
    match faults.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// Quotes an external text for an error message if it can be a name, and describes it if it may be a secret.
pub fn quote(text: &str) -> String {
    if is_quotable(text) { escape(text) } else { format!("a text of {} characters", text.chars().count()) }
}

/// Returns whether errors may quote a text. A long one, one with `@`, and one with a run of mixed letters and digits may be
/// a secret.
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

/// Cuts and escapes an external text, so that errors, terminals and logs can contain it.
pub fn escape(text: &str) -> String {
    let cut = text.char_indices().nth(40).and_then(|(at, _)| text.get(..at)).unwrap_or(text);
    let mut quoted = String::from("\"");
    for character in cut.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // Control characters, line separators, and the marks that change the direction of writing.
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
