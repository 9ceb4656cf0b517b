//! The allocator and the panic handler that the standard library would add. Without it the module is smaller by the library
//! itself, by dlmalloc (talc is a quarter of it), and by panic texts that no user could read.

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};

#[global_allocator]
static ALLOCATOR: WasmDynamicTalc = new_wasm_dynamic_allocator();

/// Traps; `js/foundation/core` then makes a fresh instance.
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
