//! Turns a compiled crate into the module and glue that TypeScript imports.
//!
//! The library inside wasm-bindgen's CLI does the work: it is locked in the same `Cargo.lock` as the crate's
//! wasm-bindgen, so the two cannot drift, and nobody has to install a command.

use anyhow::{Context, Result, ensure};
use std::{env, fs, num::NonZeroU64};
use walrus::Module;
use wasm_bindgen_cli_support::Bindgen;
use zopfli::{Format, Options};

const USAGE: &str = "usage: xtask bind <compiled.wasm> <output folder> <name>
       xtask trim <module.wasm> <trimmed.wasm> <exports to leave out, by what they begin with> …
       xtask deflate <file> <deflated>
       xtask gzip <file> <file.gz>";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bind", wasm, folder, name] => bind(wasm, folder, name),
        ["trim", from, to, ref left_out @ ..] => trim(from, to, left_out),
        ["deflate", from, to] => compress(from, to, Format::Deflate, Options::default()),
        ["gzip", from, to] => compress(from, to, Format::Gzip, for_much()),
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
        .generate(folder)
}

/// Leaves out some exports, and what only they need. What is left goes with the same glue.
fn trim(from: &str, to: &str, left_out: &[&str]) -> Result<()> {
    let mut module = Module::from_file(from)?;
    for prefix in left_out {
        let matching: Vec<_> = module
            .exports
            .iter()
            .filter(|export| export.name.starts_with(prefix))
            .map(|export| export.id())
            .collect();
        ensure!(!matching.is_empty(), "expected exports that begin with {prefix}, got none");
        matching.into_iter().for_each(|id| module.exports.delete(id));
    }
    walrus::passes::gc::run(&mut module);
    module.emit_wasm_file(to)
}

/// For a tarball: one attempt gets to within a thousandth of what fifteen do.
fn for_much() -> Options {
    Options { iteration_count: NonZeroU64::MIN, maximum_block_splits: 60, ..Options::default() }
}

/// As small as DEFLATE (RFC 1951) gets it: a twentieth smaller than by zlib, for everybody who loads it.
fn compress(from: &str, to: &str, format: Format, options: Options) -> Result<()> {
    let bytes = fs::read(from).context(from.to_owned())?;
    let mut compressed = Vec::new();
    zopfli::compress(options, format, &bytes[..], &mut compressed)?;
    Ok(fs::write(to, compressed)?)
}
