//! The base point's tables, each made when first asked for: as constants they would be more than all of the code. What a
//! process does first runs on code that is not optimised yet, which takes many times as long: it gets small ones.

use crate::constants::BASE_POINT;
use crate::encoding::decode;
use crate::point::Point;
use crate::table::{OddTable, ROWS, Table};
use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use once_cell::race::OnceBox;

/// Multiplications by secrets that go without the large table: making it takes as long as about so many of them would save.
const USES_FIRST: u32 = 48;
/// With rows that are so far apart a multiplication takes half as long again, and the first three, with their table, half.
const APART: usize = 6;

static USES: AtomicU32 = AtomicU32::new(0);
static FIRST: OnceBox<Table> = OnceBox::new();
static SECRET: OnceBox<Table> = OnceBox::new();
static ROW: OnceBox<OddTable> = OnceBox::new();
static PUBLIC: OnceBox<OddTable> = OnceBox::new();

/// The multiples of B for secret scalars: 18 kB, and when many have been asked for, 104 kB.
pub(crate) fn base() -> &'static Table {
    if USES.load(Relaxed) >= USES_FIRST {
        return table(&SECRET, 1);
    }
    USES.fetch_add(1, Relaxed);
    table(&FIRST, APART)
}

#[inline(never)]
fn table(place: &'static OnceBox<Table>, apart: usize) -> &'static Table {
    place.get_or_init(|| Box::new(Table::new(&base_point(), apart)))
}

/// Those for public ones: 53 kB.
pub(crate) fn public_base() -> &'static OddTable {
    odd_table(&PUBLIC, ROWS)
}

/// The first row of them, for keys without a table: 2 kB.
pub(crate) fn public_row() -> &'static OddTable {
    odd_table(&ROW, 1)
}

#[inline(never)]
fn odd_table(place: &'static OnceBox<OddTable>, rows: usize) -> &'static OddTable {
    place.get_or_init(|| Box::new(OddTable::with_rows(&base_point(), rows)))
}

/// (The constant is an encoding, as the tests know.)
#[inline(never)]
fn base_point() -> Point {
    decode(&BASE_POINT).unwrap_or(Point::neutral())
}
