//! A bundle: everything that one SDK call says about one payload, and the limits on it.

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

/// What was done with the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It came into being here.
    Create,
    /// It was made from an earlier payload, named by its key, or from several.
    Mutate,
    /// It arrived here unchanged.
    Transit,
    /// It was handed on.
    Publish,
}

impl Action {
    /// All actions, in the order of their numbers at the WebAssembly boundary.
    pub const ALL: [Self; 4] = [Self::Create, Self::Mutate, Self::Transit, Self::Publish];

    /// The action of that number.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when there is none.
    pub fn numbered(number: usize) -> Result<Self> {
        Self::ALL.get(number).copied().ok_or_else(|| no_action(number))
    }

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Mutate => "mutate",
            Self::Transit => "transit",
            Self::Publish => "publish",
        }
    }

    /// The action of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }
}

#[cold]
fn no_action(number: usize) -> Error {
    let count = Action::ALL.len();
    Code::ConfigInvalid.error(format!("action: expected a number below {count}, got {number}"))
}

/// Where in the stack the annotations were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The application.
    App,
    /// The pipeline that built it.
    CiCd,
    /// The operating system.
    Os,
    /// The machine.
    Host,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 4] = [Self::App, Self::CiCd, Self::Os, Self::Host];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::CiCd => "cicd",
            Self::Os => "os",
            Self::Host => "host",
        }
    }

    /// The layer of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == name)
    }
}

/// One annotator's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    /// Unique, and increasing in the order in which a signer answered.
    pub id: Ulid,
    /// Which check this was: `src`, `tls`, …
    pub kind: Cow<'a, str>,
    /// What the operator wants to find it by: a version, a host.
    pub tag: Cow<'a, str>,
    /// The answer.
    pub is_satisfied: bool,
}

/// All annotations of one SDK call, and what they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// What was done.
    pub action: Action,
    /// The payload's key.
    pub key: Cow<'a, str>,
    /// The key of the payload it was made from. With [`Action::Mutate`] there is either this or `inputs`, else neither.
    pub previous_key: Option<Cow<'a, str>>,
    /// What it was made from, where that is not one payload under the same hash.
    pub inputs: Option<Inputs<'a>>,
    /// How both keys were made.
    pub hash: Hash,
    /// The machine that says so.
    pub host: Cow<'a, str>,
    /// Where in its stack.
    pub layer: Layer,
    /// When, in RFC 3339, exactly as sent.
    pub timestamp: Cow<'a, str>,
    /// Whose key signs.
    pub signer: KeyId,
    /// The answers.
    pub annotations: Vec<Annotation<'a>>,
}

/// A bundle whose signature was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedBundle<'a> {
    /// What it says.
    pub bundle: Bundle<'a>,
    /// Names exactly these contents, however they were sent (`FORMAT.md`, "Bundle ids"): the hash of the bundle's leaf,
    /// whether there is a tree or not.
    pub id: Node,
}

impl<'a> Deref for VerifiedBundle<'a> {
    type Target = Bundle<'a>;

    fn deref(&self) -> &Bundle<'a> {
        &self.bundle
    }
}

impl Bundle<'_> {
    /// Every field that is out of bounds, as `field: expected, got`; empty for a sound bundle.
    ///
    /// The same list guards both directions: what cannot be read is never written.
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
                faults.push("previousKey: expected with action mutate, got none".into());
            }
            (true, true) if is_mutate => {
                faults.push("previousKey: expected none beside inputs, got one".into())
            }
            (false, false) => {}
            _ if is_mutate => {}
            _ => {
                let field = if previous { "previousKey" } else { "inputs" };
                faults.push(format!("{field}: expected none with action {}, got one", self.action.as_str()));
            }
        }
    }

    /// The bundle, or all its faults in one error with that code.
    ///
    /// # Errors
    /// `code`, listing every fault.
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

/// Faults as one text: the first ones, and how many more there are. A small message can have a thousand.
pub fn listed(faults: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = faults[..faults.len().min(SHOWN)].join("; ");
    match faults.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// Quotes a text from outside for an error message if it can be a name, and describes it if it may be a secret.
pub fn quote(text: &str) -> String {
    if is_quotable(text) { escape(text) } else { format!("a text of {} characters", text.chars().count()) }
}

/// Returns whether errors may quote a text. One that is long, has an `@`, or has a run of mixed letters and digits can be a secret.
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

/// A text from outside, cut short and escaped, fit for an error message and so for a terminal or a log.
pub fn escape(text: &str) -> String {
    let cut = text.char_indices().nth(40).and_then(|(at, _)| text.get(..at)).unwrap_or(text);
    let mut quoted = String::from("\"");
    for character in cut.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // Control characters, line separators, and the marks that turn the direction of writing.
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
