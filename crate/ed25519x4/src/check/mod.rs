//! Checks of every layer against other arithmetic, on any number of cases. Native tests and the WebAssembly harness
//! call the same checks. The cases are derived from a seed, except those of [`field::edges`]. A check panics
//! at the first difference.

pub mod field;
pub mod points;
mod random;
pub(crate) mod reference;
pub mod signing;
pub mod speed;
pub mod verdicts;
