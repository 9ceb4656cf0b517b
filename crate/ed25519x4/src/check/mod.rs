//! Every layer against other arithmetic, on as many cases as asked for: the tests call this natively, the harness in
//! WebAssembly, so both run the same checks. Cases come from a seed; a check panics at the first difference.

pub mod field;
pub mod points;
mod random;
pub(crate) mod reference;
pub mod signing;
pub mod speed;
pub mod verdicts;
