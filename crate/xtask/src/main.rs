//! Turns a compiled crate into the module and glue that TypeScript imports.
//!
//! The library inside wasm-bindgen's CLI does the work: it is locked in the same `Cargo.lock` as the crate's
//! wasm-bindgen, so the two cannot drift, and nobody has to install a command.

use anyhow::{Context, Result};
use std::env;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let mut next = || arguments.next().context("usage: xtask <compiled.wasm> <output folder> <name>");
    let (wasm, folder, name) = (next()?, next()?, next()?);
    Bindgen::new()
        .input_path(wasm)
        .out_name(&name)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(true)
        .reset_state_function(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
}
