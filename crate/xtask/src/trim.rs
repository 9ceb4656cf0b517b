//! A module without some of its exports.

use anyhow::{Result, ensure};
use std::collections::HashSet;
use walrus::{FunctionKind, Module, passes::gc};
use wasm_encoder::{CodeSection, ExportSection, RawSection};
use wasmparser::{ExportSectionReader, Parser, Payload};

/// What stands in the place of a function that nobody calls: no local variables, `unreachable`, `end`.
const NOTHING: [u8; 3] = [0, 0x00, 0x0b];

/// Leaves out the exports that begin with `left_out`, and the code that only they need. What is left goes with the same glue. It is byte for
/// byte what the whole has, as functions keep the numbers by which they call each other: so the whole is unpacked out of it.
pub fn trimmed(whole: &[u8], left_out: &[&str]) -> Result<Vec<u8>> {
    let called = called(whole, left_out)?;
    let (mut module, mut code) = (wasm_encoder::Module::new(), CodeSection::new());
    for payload in Parser::new(0).parse_all(whole) {
        let payload = payload?;
        if let Payload::CodeSectionEntry(body) = &payload {
            let is_called = called[code.len() as usize];
            code.raw(if is_called { &whole[body.range()] } else { &NOTHING });
            if code.len() as usize == called.len() {
                module.section(&code);
            }
        } else if let Payload::ExportSection(exports) = payload {
            module.section(&without(exports, left_out)?);
        } else if !matches!(payload, Payload::CodeSectionStart { .. })
            && let Some((id, range)) = payload.as_section()
        {
            module.section(&RawSection { id, data: &whole[range] });
        }
    }
    Ok(module.finish())
}

/// Whether each function, in the order of their code, is needed by the exports that stay.
fn called(whole: &[u8], left_out: &[&str]) -> Result<Vec<bool>> {
    let mut module = Module::from_buffer(whole)?;
    let kinds: Vec<_> = module.funcs.iter().map(|function| &function.kind).collect();
    let (all, own) =
        (kinds.len(), kinds.iter().filter(|kind| matches!(kind, FunctionKind::Local(_))).count());
    for prefix in left_out {
        let of_prefix = module.exports.iter().filter(|export| export.name.starts_with(prefix));
        let exports: Vec<_> = of_prefix.map(|export| export.id()).collect();
        ensure!(!exports.is_empty(), "expected exports that begin with {prefix}, got none");
        exports.into_iter().for_each(|id| module.exports.delete(id));
    }
    gc::run(&mut module);
    let left: HashSet<usize> = module.funcs.iter().map(|function| function.id().index()).collect();
    Ok((all - own..all).map(|number| left.contains(&number)).collect())
}

fn without(exports: ExportSectionReader<'_>, left_out: &[&str]) -> Result<ExportSection> {
    let mut kept = ExportSection::new();
    for export in exports {
        let export = export?;
        if !left_out.iter().any(|prefix| export.name.starts_with(prefix)) {
            kept.export(export.name, export.kind.into(), export.index);
        }
    }
    Ok(kept)
}
