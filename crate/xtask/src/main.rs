//! Makes the WebAssembly module and the glue code that TypeScript imports, from a compiled crate.
//!
//! It uses the library of wasm-bindgen's CLI. One `Cargo.lock` locks this library and the crate's wasm-bindgen to the
//! same version, and no command needs to be installed.

use anyhow::{Context, Result};
use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::{env, fs, io::Write};
use wasm_bindgen_cli_support::Bindgen;

mod zeros;

const USAGE: &str = "usage: xtask bind <compiled.wasm> <output folder> <name>
       xtask pack <file> <packed>";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bind", wasm, folder, name] => bind(wasm, folder, name),
        ["pack", from, to] => pack(from, to),
        _ => Err(anyhow::anyhow!(USAGE)),
    }
}

fn bind(wasm: &str, folder: &str, name: &str) -> Result<()> {
    Bindgen::new()
        .input_path(wasm)
        .out_name(name)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(true)
        .reset_state_function(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)?;
    let bound = format!("{folder}/{name}_bg.wasm");
    Ok(fs::write(&bound, zeros::without_zeros(&read(&bound)?)?)?)
}

/// Packs a file as raw LZMA, with the settings that `unpack` expects. No other settings make WebAssembly smaller.
fn pack(from: &str, to: &str) -> Result<()> {
    let smallest =
        LzmaOptions { dict_size: 1 << 20, nice_len: 273, depth_limit: 512, ..LzmaOptions::with_preset(9) };
    let options = LzmaOptions { lc: 3, lp: 0, pb: 0, ..smallest };
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    writer.write_all(&read(from)?)?;
    Ok(fs::write(to, writer.finish()?)?)
}

fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).context(path.to_owned())
}
