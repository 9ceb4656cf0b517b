//! The fields of a message that are missing or wrong, collected so that all of them can be told at once.

use crate::{
    bundle::{listed, quote},
    error::{Code, Error},
};
use std::borrow::Cow;

#[derive(Default)]
pub(super) struct Faults {
    list: Vec<String>,
}

impl Faults {
    /// The value, or a fault.
    pub(super) fn present<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.list.push(format!("{field}: expected one, got nothing"));
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
            self.list.push(format!("{field}: expected {expected}, got {}", got(text.as_deref())));
        }
        value
    }

    /// All faults as one error.
    pub(super) fn error(&self) -> Error {
        malformed(&listed(&self.list))
    }
}

/// A text that may not be there, for an error message.
pub(super) fn got(text: Option<&str>) -> String {
    text.map_or_else(|| "nothing".to_owned(), quote)
}

pub(super) fn malformed(what: &str) -> Error {
    Code::MessageMalformed.error(format!("message: {what}"))
}
