//! Checks of every layer against other arithmetic, on any number of cases. Native tests and the harness in WebAssembly call
//! the same checks. A seed gives the cases; a check panics at the first difference.

pub mod field;
pub mod points;
mod random;
pub(crate) mod reference;
pub mod signing;
pub mod speed;
pub mod verdicts;
