/** A difference between a row and the messages or the log. */
export interface Difference {
  /** Name of the table with the row. */
  readonly table:
    | 'head'
    | 'leaf'
    | 'tile'
    | 'checkpoint'
    | 'evidence'
    | 'beside'
    | 'bundle'
    | 'edge'
    | 'datum'
    | 'word'
    | 'list'
    | 'pruning'
    | 'pruned'
    | 'classic'
    | 'arrival'
  /** Key of the row, as text; `all` if the difference concerns the whole table. */
  readonly row: string
  /** Part of the row that differs. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

export type Place = Pick<Difference, 'table' | 'row' | 'what'>

export function placeIn(table: Place['table'], row: unknown, what: string): Place {
  return { table, row: String(row), what }
}

/** Limit of differences in a report, more than a person reads. */
export const MAX_DIFFERENCES = 1_000
/** Limit of differences of one kind in a report, so that the report can list other kinds too. */
const MAX_OF_KIND = 250

export class Findings {
  readonly differences: Difference[] = []
  readonly #ofKinds = new Map<string, number>()
  count = 0

  add(difference: Difference): void {
    this.count++
    const kind = `${difference.table} ${difference.what.replace(/\d+/g, '')}`
    const known = this.#ofKinds.get(kind) ?? 0
    this.#ofKinds.set(kind, known + 1)
    if (known < MAX_OF_KIND && this.differences.length < MAX_DIFFERENCES) this.differences.push(difference)
  }

  compare(where: Place, expected: unknown, got: unknown): void {
    if (textOfValue(expected) !== textOfValue(got)) this.differ(where, expected, got)
  }

  /** Adds a difference. Long texts are shortened. */
  differ(where: Place, expected: unknown, got: unknown): void {
    const shown = (value: unknown) => textOfValue(value).slice(0, MAX_VALUE_CHARS)
    this.add({ ...where, expected: shown(expected), got: shown(got) })
  }
}

const MAX_VALUE_CHARS = 200

function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
