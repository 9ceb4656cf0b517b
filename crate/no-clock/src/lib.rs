//! Empty. `ulid` names `web-time` in WebAssembly, and uses it only with its feature `std`. The real one brings `std`, which the core
//! has no room for: it has a panic handler of its own.

#![no_std]
