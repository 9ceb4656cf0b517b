//! Allocator and panic handler in place of those of the standard library. They keep three things out of the
//! module: the library, its allocator dlmalloc (talc is a quarter of the size), and panic texts, which no
//! user could read.

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

#[global_allocator]
static ALLOCATOR: WasmDynamicTalc = new_wasm_dynamic_allocator();

/// Traps. `js/foundation/core` then creates a new instance.
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
