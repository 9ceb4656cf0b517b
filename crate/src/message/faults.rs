//! The fields of a message that are missing or wrong, collected so that all of them can be told at once.

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
    /// The value, or a fault.
    pub(super) fn present<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.wrong(field, "one", &quoted(None));
        }
        value
    }

    /// The value that the text stands for, or a fault.
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

    /// All faults as one error.
    #[cold]
    pub(super) fn error(&self) -> Error {
        malformed(&listed(&self.list))
    }
}

/// A text that may not be there, for an error message.
pub(super) fn quoted(text: Option<&str>) -> String {
    text.map_or_else(|| "nothing".to_owned(), quote)
}

#[cold]
pub(super) fn malformed(what: &str) -> Error {
    Code::MessageMalformed.error(format!("message: {what}"))
}
