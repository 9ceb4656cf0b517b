//! Removes zeros from a module's data, because memory is initialized with zeros (WebAssembly 3.0, section 4.2.9).

use anyhow::{Result, bail};
use wasm_encoder::{ConstExpr, DataSection, Module, RawSection};
use wasmparser::{Data, DataKind, DataSectionReader, Operator, Parser, Payload};

/// Minimum length of a run of zeros to remove. For a shorter run, the additional segment costs more than it saves.
const FEWEST: usize = 256;

/// Returns the module with long runs of zeros removed from its data, such as statics filled on first use.
pub fn without_zeros(whole: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(whole) {
        let payload = payload?;
        match payload {
            Payload::DataCountSection { .. } => bail!("expected no count of the segments, which changes"),
            Payload::DataSection(segments) => drop(module.section(&cut(segments)?)),
            _ => {
                if let Some((id, range)) = payload.as_section() {
                    module.section(&RawSection { id, data: &whole[range] });
                }
            }
        }
    }
    Ok(module.finish())
}

fn cut(segments: DataSectionReader<'_>) -> Result<DataSection> {
    let mut kept = DataSection::new();
    for segment in segments {
        let segment = segment?;
        let at = place_of(&segment)?;
        for (start, part) in parts(segment.data) {
            kept.active(0, &ConstExpr::i32_const(at + i32::try_from(start)?), part.iter().copied());
        }
    }
    Ok(kept)
}

/// Returns the offset of a segment in the first memory.
fn place_of(segment: &Data<'_>) -> Result<i32> {
    let DataKind::Active { memory_index: 0, offset_expr } = &segment.kind else {
        bail!("expected segments that are put into the first memory, got another");
    };
    match offset_expr.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value),
        other => bail!("expected a place that is a number, got {other:?}"),
    }
}

/// Returns the parts of the bytes between long runs of zeros, each with its offset.
fn parts(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
        if at - end >= FEWEST {
            found.push((start, &bytes[start..end]));
            start = at;
        }
        end = at + 1;
    }
    found.push((start, &bytes[start..end]));
    found.retain(|(_, part)| !part.is_empty());
    found
}
