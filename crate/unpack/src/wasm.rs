//! Boundary to JavaScript, which writes and reads the memory directly (`js/foundation/modules/unpack.ts`).

use crate::{base64, lzma};
use core::{arch::wasm32, panic::PanicInfo, slice};

/// Unpacks `text` into `out`.
///
/// # Safety
///
/// Both buffers must be in this module's memory and above its static data, and must not overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn unpack(text: *mut u8, text_length: usize, out: *mut u8, length: usize) {
    let text = unsafe { slice::from_raw_parts_mut(text, text_length) };
    let out = unsafe { slice::from_raw_parts_mut(out, length) };
    let packed = base64::decode(text);
    lzma::unpack(&text[..packed], out);
}

#[panic_handler]
fn trap(_: &PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}
