//! Turns a compiled crate into the module and glue that TypeScript imports.
//!
//! The library inside wasm-bindgen's CLI does the work: it is locked in the same `Cargo.lock` as the crate's
//! wasm-bindgen, so the two cannot drift, and nobody has to install a command.

use anyhow::{Context, Result};
use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::{env, fs, io::Write};
use wasm_bindgen_cli_support::Bindgen;

mod trim;
mod zeros;

const USAGE: &str = "usage: xtask bind <compiled.wasm> <output folder> <name>
       xtask trim <module.wasm> <trimmed.wasm> <exports to leave out, by what they begin with> …
       xtask pack <file> <packed> [<what comes out before>]
       xtask gzip <file> <file.gz> (with the feature `tarball`)";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bind", wasm, folder, name] => bind(wasm, folder, name),
        ["trim", from, to, ref left_out @ ..] => Ok(fs::write(to, trim::trimmed(&read(from)?, left_out)?)?),
        ["pack", from, to] => pack(from, to, None),
        ["pack", from, to, before] => pack(from, to, Some(read(before)?)),
        #[cfg(feature = "tarball")]
        ["gzip", from, to] => gzip(from, to),
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

/// As raw LZMA, with the settings that `unpack` has: of all, they make WebAssembly smallest. What comes out before it is not said again.
fn pack(from: &str, to: &str, before: Option<Vec<u8>>) -> Result<()> {
    let smallest =
        LzmaOptions { dict_size: 1 << 20, nice_len: 273, depth_limit: 512, ..LzmaOptions::with_preset(9) };
    let options = LzmaOptions { lc: 3, lp: 0, pb: 0, preset_dict: before, ..smallest };
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    writer.write_all(&read(from)?)?;
    Ok(fs::write(to, writer.finish()?)?)
}

/// As small as DEFLATE (RFC 1951) gets it: one attempt gets to within a thousandth of what fifteen do.
#[cfg(feature = "tarball")]
fn gzip(from: &str, to: &str) -> Result<()> {
    use zopfli::{Format, Options};
    let once = std::num::NonZeroU64::MIN;
    let options = Options { iteration_count: once, maximum_block_splits: 60, ..Options::default() };
    let mut compressed = Vec::new();
    zopfli::compress(options, Format::Gzip, &read(from)?[..], &mut compressed)?;
    Ok(fs::write(to, compressed)?)
}

fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).context(path.to_owned())
}
