//! Collects missing and invalid fields of a message. One error names the first eight, and counts the others.

use crate::{
    bundle::{listed, quote},
    error::{Code, Error},
};
use alloc::{borrow::Cow, borrow::ToOwned as _, format, string::String, vec::Vec};

#[derive(Default)]
pub(super) struct Faults {
    list: Vec<String>,
}

impl Faults {
    /// Returns the value. Adds a fault if the value is missing.
    pub(super) fn present<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.wrong(field, "one", &quoted(None));
        }
        value
    }

    /// Returns the parsed value of a text. Adds a fault if the text is missing or invalid.
    pub(super) fn parsed<T>(
        &mut self,
        field: &str,
        expected: &str,
        text: Option<Cow<'_, str>>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = text.as_deref().and_then(parse);
        if value.is_none() {
            self.wrong(field, expected, &quoted(text.as_deref()));
        }
        value
    }

    #[cold]
    pub(super) fn wrong(&mut self, field: &str, expected: &str, got: &str) {
        self.list.push(format!("{field}: expected {expected}, got {got}"));
    }

    #[cold]
    pub(super) fn error(&self) -> Error {
        malformed(&listed(&self.list))
    }
}

/// Quotes a text for an error message. Returns the word `nothing` if there is no text.
pub(super) fn quoted(text: Option<&str>) -> String {
    text.map_or_else(|| "nothing".to_owned(), quote)
}

#[cold]
pub(super) fn malformed(what: &str) -> Error {
    Code::MessageMalformed.error(format!("message: {what}"))
}
