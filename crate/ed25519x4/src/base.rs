//! Tables of the base point. Each is computed at first use, because as constants the tables would be larger
//! than all of the code. A process first uses small tables: at that time its code is not optimised yet, and
//! computing the large tables would take many times as long.

use crate::constants::BASE_POINT;
use crate::encoding::decode;
use crate::point::Point;
use crate::table::{OddTable, ROWS, Table};
use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use once_cell::race::OnceBox;

/// Number of multiplications by secret scalars before the large table is computed. The computation takes
/// about as long as the large table saves in that many multiplications.
const USES_FIRST: u32 = 48;
/// Digits between the rows of the small table. With this table, a multiplication takes 1.5 times as long. But the
/// first three multiplications, including the table's computation, take half as long.
const APART: usize = 6;

static USES: AtomicU32 = AtomicU32::new(0);
static FIRST: OnceBox<Table> = OnceBox::new();
static SECRET: OnceBox<Table> = OnceBox::new();
static ROW: OnceBox<OddTable> = OnceBox::new();
static PUBLIC: OnceBox<OddTable> = OnceBox::new();

/// Returns the multiples of B for secret scalars: 18 kB, and 104 kB after 48 uses.
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

/// Returns the multiples of B for public scalars. They take 53 kB.
pub(crate) fn public_base() -> &'static OddTable {
    odd_table(&PUBLIC, ROWS)
}

/// Returns the first row of multiples of B for public scalars, 2 kB. It is used for keys without a table.
pub(crate) fn public_row() -> &'static OddTable {
    odd_table(&ROW, 1)
}

#[inline(never)]
fn odd_table(place: &'static OnceBox<OddTable>, rows: usize) -> &'static OddTable {
    place.get_or_init(|| Box::new(OddTable::with_rows(&base_point(), rows)))
}

/// Returns the base point B. A test shows that the constant decodes.
#[inline(never)]
fn base_point() -> Point {
    decode(&BASE_POINT).unwrap_or(Point::neutral())
}
