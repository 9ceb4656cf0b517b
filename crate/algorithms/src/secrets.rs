//! Wipes secrets after calls with a private key: the heap when memory is freed, and the stack by [`wipe_stack`].

use zeroize::Zeroize as _;

/// Bytes of stack to wipe. This is several times the stack depth of calls that use a private key.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites the stack frames of earlier calls. Call it from the same stack depth as those calls.
#[inline(never)]
pub fn wipe_stack() {
    let mut frame = [0xff_u8; STACK_TO_WIPE];
    core::hint::black_box(&mut frame);
    frame.zeroize();
    core::hint::black_box(&mut frame);
}

/// Allocator, lock and panic handler, which in WebAssembly the standard library would otherwise provide.
#[cfg(target_family = "wasm")]
#[allow(unsafe_code, reason = "an allocator and a lock cannot be without")]
mod runtime {
    use core::alloc::{GlobalAlloc, Layout};
    use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
    use zeroize::Zeroize as _;

    /// Allocator that wipes freed memory, because libraries do not wipe all DER, scalars and nonces on the heap.
    struct Wiping(WasmDynamicTalc);

    #[global_allocator]
    static ALLOCATOR: Wiping = Wiping(new_wasm_dynamic_allocator());

    // SAFETY: layouts and pointers are passed to and from talc unchanged. Memory is wiped after its owner has freed
    // it and before it can get another owner. `realloc` is the trait's default, which calls these two functions.
    unsafe impl GlobalAlloc for Wiping {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            unsafe { self.0.alloc(layout) }
        }

        unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
            unsafe {
                core::slice::from_raw_parts_mut(place, layout.size()).zeroize();
                self.0.dealloc(place, layout);
            }
        }
    }

    /// Lock for the creation of the base points' tables. It does nothing, because there is only one thread.
    struct Alone;
    critical_section::set_impl!(Alone);

    // SAFETY: no other code runs during a call, because there is one thread.
    unsafe impl critical_section::Impl for Alone {
        unsafe fn acquire() -> critical_section::RawRestoreState {}
        unsafe fn release(_: critical_section::RawRestoreState) {}
    }

    /// Traps. `js/foundation/algorithms` then creates a new instance.
    #[panic_handler]
    fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
