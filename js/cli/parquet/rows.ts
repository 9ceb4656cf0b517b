import type { FileMetaData } from 'hyparquet'
import { recordIn, type SourceRecord } from '../../evidence/records/read.js'
import { expected } from '../../foundation/base/errors.js'
import { hint } from '../../foundation/base/options/names.js'
import { openLeaves } from './chunks.js'
import { type Column, columnsIn } from './columns.js'
import { ParquetFault } from './fault.js'
import type { LeafValues } from './pages.js'
import type { Ranges } from './ranges.js'
import { MAX_ROW_BYTES } from './texts.js'

const ROWS = 1_024
/** Maximum number of characters of a value that identifies a row, equal to the limit for other formats. */
const MAX_VALUE_LENGTH = 256

export class RowReader {
  readonly #file: Ranges
  readonly #name: string
  #columns: readonly Column[] = []
  #names: readonly string[] = []
  #by = -1
  #group = 0
  #number = 0
  #column: string | undefined

  constructor(file: Ranges, name: string) {
    this.#file = file
    this.#name = name
  }

  get place(): string {
    if (this.#column !== undefined) return `${this.#name} row ${this.#number} column ${this.#column}`
    return this.#group === 0 ? this.#name : `${this.#name} row group ${this.#group}`
  }

  async *read(
    { schema, row_groups, num_rows }: FileMetaData,
    by: string | undefined,
  ): AsyncGenerator<SourceRecord[], void> {
    this.#columns = columnsIn(schema)
    this.#names = this.#columns.map(({ name }) => `${JSON.stringify(name)}:`)
    this.#by = indexOf(by, this.#columns)
    for (const group of row_groups) {
      this.#group++
      const leaves = await openLeaves(group, this.#columns, this.#file)
      for (let left = Number(group.num_rows); left > 0; left -= ROWS)
        yield this.#rows(leaves, Math.min(left, ROWS))
      for (const leaf of leaves.flat()) leaf.end()
    }
    if (this.#number !== Number(num_rows)) throw new ParquetFault(`${num_rows} rows`, `${this.#number}`)
  }

  #rows(leaves: readonly LeafValues[][], count: number): SourceRecord[] {
    const values = this.#columns.map(({ valuesOf }, at) =>
      valuesOf((leaves[at] ?? []).map((leaf) => leaf.take(count))),
    )
    const records: SourceRecord[] = []
    for (let row = 0; row < count; row++) records.push(this.#row(values, row))
    this.#column = undefined
    return records
  }

  #row(values: readonly (readonly unknown[])[], row: number): SourceRecord {
    const number = ++this.#number
    const texts: string[] = []
    let length = 0
    for (let at = 0; at < values.length; at++) {
      const { name, textOf } = this.#columns[at] as Column
      this.#column = name
      texts.push(textOf(values[at]?.[row]))
      length += texts[at]?.length ?? 0
    }
    const json = length > MAX_ROW_BYTES ? undefined : texts.map((text, at) => `${this.#names[at]}${text}`)
    const bytes = json && Buffer.from(`{${json.join(',')}}`)
    const isShort = bytes && bytes.length <= MAX_ROW_BYTES
    const record = recordIn({ number, bytes: isShort ? bytes : undefined }, 'lines', this.#name)
    return this.#by < 0 ? record : { ...record, by: valueIn(texts[this.#by] ?? '') }
  }
}

/** Returns a JSON string or number as text; an empty string for any other value. */
function valueIn(json: string): string {
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json
  return /^["\d-]/.test(json) ? text.slice(0, MAX_VALUE_LENGTH) : ''
}

/** Returns the index of the column `by`; -1 without `by`. */
function indexOf(by: string | undefined, columns: readonly Column[]): number {
  if (by === undefined) return -1
  const names = columns.map(({ name }) => name)
  if (names.includes(by)) return names.indexOf(by)
  throw expected('CONFIG_INVALID', 'by', `a column of the file${hint(by, names)}`, JSON.stringify(by))
}
