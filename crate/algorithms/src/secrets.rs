//! Wiping of secrets after calls with a private key: the heap when memory is freed, the stack by [`wipe_stack`].

use zeroize::Zeroize as _;

/// Bytes of stack to wipe: several times the depth of calls that handle a private key.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites the stack frames of earlier calls. Call it from as far up the stack as those calls.
#[inline(never)]
pub fn wipe_stack() {
    let mut frame = [0xff_u8; STACK_TO_WIPE];
    core::hint::black_box(&mut frame);
    frame.zeroize();
    core::hint::black_box(&mut frame);
}

/// The allocator, the lock and the panic handler that the standard library would add in WebAssembly.
#[cfg(target_family = "wasm")]
#[allow(unsafe_code, reason = "an allocator and a lock cannot be without")]
mod runtime {
    use core::alloc::{GlobalAlloc, Layout};
    use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
    use zeroize::Zeroize as _;

    /// An allocator that wipes freed memory: DER, scalars and nonces pass through it, and libraries do not wipe all of them.
    struct Wiping(WasmDynamicTalc);

    #[global_allocator]
    static ALLOCATOR: Wiping = Wiping(new_wasm_dynamic_allocator());

    // SAFETY: the layouts and places of talc are passed on unchanged. While memory is wiped, its owner has freed it and
    // it has no other owner. `realloc` is the trait's default, which uses these two functions.
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

    /// A lock for the base points' tables, which need one when they are made. There is one thread, and no interrupt.
    struct Alone;
    critical_section::set_impl!(Alone);

    // SAFETY: no other code runs during a call.
    unsafe impl critical_section::Impl for Alone {
        unsafe fn acquire() -> critical_section::RawRestoreState {}
        unsafe fn release(_: critical_section::RawRestoreState) {}
    }

    /// Traps; `js/foundation/algorithms` then makes a fresh instance.
    #[panic_handler]
    fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
