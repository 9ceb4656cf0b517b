//! What calls with a private key leave behind, wiped: on the heap whatever is given back, on the stack by [`wipe_stack`].

use zeroize::Zeroize as _;

/// How deep calls that see a private key reach into the stack, several times over.
const STACK_TO_WIPE: usize = 64 * 1024;

/// Overwrites what earlier calls have left on the stack. To be called from as far up as those calls were.
#[inline(never)]
pub fn wipe_stack() {
    let mut frame = [0xff_u8; STACK_TO_WIPE];
    core::hint::black_box(&mut frame);
    frame.zeroize();
    core::hint::black_box(&mut frame);
}

/// What the standard library would bring along in WebAssembly: memory, a lock, and the end after a panic.
#[cfg(target_family = "wasm")]
#[allow(unsafe_code, reason = "an allocator and a lock cannot be without")]
mod runtime {
    use core::alloc::{GlobalAlloc, Layout};
    use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
    use zeroize::Zeroize as _;

    /// Memory that is wiped when it is given back: DER, scalars and nonces pass through it, and not all of it is ours to wipe.
    struct Wiping(WasmDynamicTalc);

    #[global_allocator]
    static ALLOCATOR: Wiping = Wiping(new_wasm_dynamic_allocator());

    // SAFETY: what talc gives is handed on as it is, and given back to it as it was asked for. While it is wiped, its owner
    // has given it back and nobody else has got it. `realloc` is the trait's own: by these two.
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

    /// The base points' tables ask for a lock when they are made. There is one thread, and no interrupt.
    struct Alone;
    critical_section::set_impl!(Alone);

    // SAFETY: nothing else runs while a call does.
    unsafe impl critical_section::Impl for Alone {
        unsafe fn acquire() -> critical_section::RawRestoreState {}
        unsafe fn release(_: critical_section::RawRestoreState) {}
    }

    /// Traps, which `js/algorithms` answers with a fresh instance.
    #[panic_handler]
    fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
        core::arch::wasm32::unreachable()
    }
}
