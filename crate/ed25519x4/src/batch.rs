//! Inverts many elements with one inversion (Montgomery's trick). The inverse of a product, times all factors but
//! one, is the inverse of that factor. This takes three products per element, and in four lanes three products per
//! four elements.

use crate::field::Field4;
use crate::invert::invert;
use crate::lanes::{LANES, Pairs};
use alloc::vec::Vec;

/// Inverts all lanes of all elements, in constant time. No lane may be zero, so unused lanes must be one.
#[inline(never)]
pub(crate) fn invert_all<P: Pairs>(elements: &mut [Field4<P>]) {
    let mut products = Vec::with_capacity(elements.len());
    let mut product = Field4::small([1; LANES]);
    for element in elements.iter() {
        products.push(product);
        product = product.times(element);
    }
    let mut inverse = invert_lanes(&product);
    for (element, before) in elements.iter_mut().zip(&products).rev() {
        let own = inverse.times(before);
        inverse = inverse.times(element);
        *element = own;
    }
    Field4::wipe(&mut products);
}

/// Returns the inverses of four elements a, b, c, d: 1/a = b·(c·d) / (a·b·c·d), and so on.
fn invert_lanes<P: Pairs>(elements: &Field4<P>) -> Field4<P> {
    let neighbours = elements.lanes::<1, 0, 3, 2>();
    let twos = elements.times(&neighbours);
    let all = twos.times(&twos.lanes::<2, 2, 0, 0>());
    let others = neighbours.times(&twos.lanes::<2, 2, 0, 0>());
    others.times(&Field4::of_bytes(&invert(&all.freeze().bytes(0))))
}
