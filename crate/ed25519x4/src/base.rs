//! The base point's tables, each made when first used: as constants they would be larger than all of the code. A process
//! first uses small tables, because its code is not optimised yet then and takes many times as long.

use crate::constants::BASE_POINT;
use crate::encoding::decode;
use crate::point::Point;
use crate::table::{OddTable, ROWS, Table};
use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use once_cell::race::OnceBox;

/// Number of multiplications by secrets before the large table: making it takes about as long as this many would save.
const USES_FIRST: u32 = 48;
/// Digits between the rows of the small table. A multiplication takes 1.5 times as long with it; the first three
/// multiplications, including the table, take half as long.
const APART: usize = 6;

static USES: AtomicU32 = AtomicU32::new(0);
static FIRST: OnceBox<Table> = OnceBox::new();
static SECRET: OnceBox<Table> = OnceBox::new();
static ROW: OnceBox<OddTable> = OnceBox::new();
static PUBLIC: OnceBox<OddTable> = OnceBox::new();

/// Returns the multiples of B for secret scalars: 18 kB, or 104 kB after many uses.
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

/// Returns the multiples of B for public scalars: 53 kB.
pub(crate) fn public_base() -> &'static OddTable {
    odd_table(&PUBLIC, ROWS)
}

/// Returns the first row of the multiples of B for public scalars, for keys without a table: 2 kB.
pub(crate) fn public_row() -> &'static OddTable {
    odd_table(&ROW, 1)
}

#[inline(never)]
fn odd_table(place: &'static OnceBox<OddTable>, rows: usize) -> &'static OddTable {
    place.get_or_init(|| Box::new(OddTable::with_rows(&base_point(), rows)))
}

/// Returns B. The tests show that the constant decodes.
#[inline(never)]
fn base_point() -> Point {
    decode(&BASE_POINT).unwrap_or(Point::neutral())
}
