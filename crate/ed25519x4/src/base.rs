//! The base point's tables, each made when first asked for: as constants they would be more than all of the code. What a
//! process does first runs on code that is not optimised yet, where the large ones take it 20 ms: it gets small ones.

use crate::constants::BASE_POINT;
use crate::encoding::decode;
use crate::point::Point;
use crate::table::{OddTable, Table};
use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use once_cell::race::OnceBox;

/// Multiplications by secrets that go without the large table: making it takes as long as about so many of them would save.
const USES_FIRST: u32 = 48;
/// A multiplication takes half as long again with rows that are so far apart, and the first three a third in all.
const APART: usize = 6;

static USES: AtomicU32 = AtomicU32::new(0);
static FIRST: OnceBox<Table> = OnceBox::new();
static SECRET: OnceBox<Table> = OnceBox::new();
static ROW: OnceBox<OddTable> = OnceBox::new();
static PUBLIC: OnceBox<OddTable> = OnceBox::new();

/// The multiples of B for secret scalars: 18 kB, and when many have been asked for, 104 kB.
pub(crate) fn base() -> &'static Table {
    if USES.load(Relaxed) >= USES_FIRST {
        return SECRET.get_or_init(|| Box::new(Table::new(&base_point(), 1)));
    }
    USES.fetch_add(1, Relaxed);
    FIRST.get_or_init(|| Box::new(Table::new(&base_point(), APART)))
}

/// Those for public ones: 53 kB.
pub(crate) fn public_base() -> &'static OddTable {
    PUBLIC.get_or_init(|| Box::new(OddTable::new(&base_point())))
}

/// The first row of them, for keys without a table: 2 kB.
pub(crate) fn public_row() -> &'static OddTable {
    ROW.get_or_init(|| Box::new(OddTable::row(&base_point())))
}

/// (The constant is an encoding, as the tests know.)
fn base_point() -> Point {
    decode(&BASE_POINT).unwrap_or(Point::neutral())
}
