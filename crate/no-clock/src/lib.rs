//! An empty replacement of `web-time`. `ulid` names it in WebAssembly, and uses it only with its feature `std`. The
//! real crate brings `std`, for which the core has no room: it has its own panic handler.

#![no_std]
