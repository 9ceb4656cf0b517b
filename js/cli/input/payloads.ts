import { extname } from 'node:path'
import type { AlvariumError } from '../../base/errors.js'
import { invalid } from '../fault.js'
import { Chunks } from './chunks.js'
import { CsvRecords } from './csv.js'
import { JsonValues } from './json-values.js'
import { Lines } from './lines.js'
import { allOf, type Source } from './source.js'
import { type Item, itemsOf, type Splitter } from './splitter.js'

/** What in a file is a payload. */
export type Format = 'lines' | 'csv' | 'json' | 'whole' | 'chunks'

/** More than any line, record or item that makes sense as one payload. */
const LONGEST = 16 * 1024 * 1024

const BY_NAME: Readonly<Record<string, Format>> = {
  '.ndjson': 'lines',
  '.jsonl': 'lines',
  '.log': 'lines',
  '.txt': 'lines',
  '.csv': 'csv',
  '.json': 'json',
}

/** What in a file is a payload, by its name; what is piped in comes line by line. */
export function formatOf({ name }: Source): Format {
  return name === 'stdin' ? 'lines' : (BY_NAME[extname(name).toLowerCase()] ?? 'whole')
}

/** How to take payloads out of a file. */
export interface Cut {
  readonly format: Format
  readonly chunkBytes: number
  /** Whether somebody may be writing to it: what stands behind the last end of a line is not taken yet. */
  readonly isGrowing: boolean
}

/**
 * The payloads in a source, exactly as they stand there.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it cannot be read, or one of them is too long
 */
export async function* payloadsOf(source: Source, cut: Cut): AsyncGenerator<Uint8Array, void> {
  if (cut.format === 'whole') {
    yield await allOf(source)
    return
  }
  for await (const items of itemsOf(source.bytes(), splitterFor(cut))) {
    for (const item of items) yield payloadIn(source, item)
  }
}

function splitterFor({ format, chunkBytes, isGrowing }: Cut): Splitter {
  if (format === 'chunks') return new Chunks(chunkBytes)
  if (format === 'json') return new JsonValues(LONGEST)
  const splitter = format === 'csv' ? new CsvRecords(LONGEST) : new Lines(LONGEST)
  return isGrowing ? { add: (piece) => splitter.add(piece), end: () => [] } : splitter
}

function payloadIn({ name }: Source, { number, bytes, isCut, fault }: Item): Uint8Array {
  if (bytes) return bytes
  if (fault) throw unclear(name, fault)
  if (isCut) throw invalid(`${name}:${number}`, 'JSON to its end', 'a part that was cut off')
  throw invalid(`${name}:${number}`, `a payload of at most ${LONGEST} bytes`, 'a longer one')
}

/** How many records there are would be a guess. */
function unclear(name: string, { line, column, expected, got }: NonNullable<Item['fault']>): AlvariumError {
  const next = 'correct it, or take each line as it is with --format lines'
  return invalid(`${name}:${line}:${column}`, expected, `${got}: ${next}`)
}
