//! What the standard library would bring along: memory, and the end after a panic. Without it the module is smaller by
//! its own weight, by dlmalloc's (talc is a quarter of it), and by texts of panics that nobody could read.

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

#[global_allocator]
static ALLOCATOR: WasmDynamicTalc = new_wasm_dynamic_allocator();

/// Traps, which `js/core` answers with a fresh instance.
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
