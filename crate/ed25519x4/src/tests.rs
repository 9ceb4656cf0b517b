//! Runs every check with few cases, and the proofs.

mod bounds;
mod identities;

use crate::check::{field, points, signing, verdicts};

/// Makes two tests of each check: one with few cases, and an ignored one with many (`--ignored`). Portable lanes are
/// slow, so the short test has fewer cases than in WebAssembly (`harness/check.mjs`).
macro_rules! checks {
    ($($short:ident $long:ident: $check:path, $few:expr, $many:expr;)*) => {
        $(
            #[test]
            fn $short() {
                $check(1, $few);
            }

            #[test]
            #[ignore = "the long form"]
            fn $long() {
                $check(2, $many);
            }
        )*
    };
}

checks! {
    products ten_million_products: field::products, 200_000, 10_000_000;
    sums ten_million_sums: field::sums, 200_000, 10_000_000;
    inversions a_million_inversions: field::inversions, 20_000, 1_000_000;
    formulas ten_million_formulas: points::formulas, 150_000, 10_000_000;
    multiples a_hundred_thousand_multiples: points::multiples, 400, 100_000;
    digits a_million_digits: points::digits, 10_000, 1_000_000;
    encodings a_million_encodings: points::encodings, 1_000, 1_000_000;
    signatures a_million_signatures: signing::signatures, 4_000, 1_000_000;
    verdicts a_million_verdicts: verdicts::verdicts, 2_000, 1_000_000;
    keys a_million_keys: verdicts::keys, 2_000, 1_000_000;
    orders many_orders: verdicts::orders, 20, 2_000;
}

#[test]
fn edges() {
    field::edges();
}
