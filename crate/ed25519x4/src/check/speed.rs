//! Repeats parts of a signature for a benchmark.

use crate::base::base;
use crate::constants::{D2, ORDER};
use crate::encoding::encode;
use crate::field::Field4;
use crate::hash::scalar_of;
use crate::invert::invert;
use crate::lanes::Native;
use core::hint::black_box;

fn keep<T>(value: T) {
    black_box(value);
}

/// Repeats the part with this name. Returns false if no part has the name.
pub fn repeat(part: &str, times: usize) -> bool {
    let point = black_box(base().times_secret(&ORDER));
    let element = black_box(Field4::<Native>::splat(&D2));
    let summand = black_box(point.summand());
    let run: &mut dyn FnMut() = match part {
        "times" => &mut || keep(black_box(&element).times(&element)),
        "freeze" => &mut || keep(black_box(&element).freeze()),
        "plus" => &mut || keep(black_box(&point).plus(&summand)),
        "doubled" => &mut || keep(black_box(&point).doubled()),
        "times base" => &mut || keep(base().times_secret(black_box(&ORDER))),
        "invert" => &mut || keep(invert(black_box(&ORDER))),
        "encode" => &mut || keep(encode(black_box(&point))),
        "hash 400 B" => &mut || keep(scalar_of(black_box(&[&ORDER, &[0; 400]]))),
        "select" => &mut || keep(base().select(3, black_box(7))),
        _ => return false,
    };
    (0..times).for_each(|_| run());
    true
}
