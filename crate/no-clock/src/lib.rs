//! Empty replacement for the crate `web-time`. `ulid` depends on it in WebAssembly, but uses it only with the feature
//! `std`. The real crate needs `std`, which conflicts with the core's own panic handler.

#![no_std]
