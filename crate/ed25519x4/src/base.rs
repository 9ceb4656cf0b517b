//! The base point's table, made when first asked for (0.2 ms): as a constant it would be more than all of the code.

use crate::constants::BASE_POINT;
use crate::encoding::decode;
use crate::point::Point;
use crate::table::Table;
use alloc::boxed::Box;
use once_cell::race::OnceBox;

static TABLE: OnceBox<Table> = OnceBox::new();

/// The multiples of B.
pub(crate) fn base() -> &'static Table {
    TABLE.get_or_init(|| Box::new(Table::new(&decode(&BASE_POINT).unwrap_or(Point::neutral()))))
}
