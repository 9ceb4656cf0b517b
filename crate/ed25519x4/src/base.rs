//! The base point's tables, each made when first asked for, in some 0.3 and 0.5 ms: as constants they would be more than
//! all of the code.

use crate::constants::BASE_POINT;
use crate::encoding::decode;
use crate::point::Point;
use crate::table::{OddTable, Table};
use alloc::boxed::Box;
use once_cell::race::OnceBox;

static SECRET: OnceBox<Table> = OnceBox::new();
static PUBLIC: OnceBox<OddTable> = OnceBox::new();

/// The multiples of B for secret scalars: 104 kB.
pub(crate) fn base() -> &'static Table {
    SECRET.get_or_init(|| Box::new(Table::new(&base_point())))
}

/// Those for public ones: 53 kB.
pub(crate) fn public_base() -> &'static OddTable {
    PUBLIC.get_or_init(|| Box::new(OddTable::new(&base_point())))
}

/// (The constant is an encoding, as the tests know.)
fn base_point() -> Point {
    decode(&BASE_POINT).unwrap_or(Point::neutral())
}
