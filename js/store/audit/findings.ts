/** Something that differs from what the evidence or the log says. */
export interface Difference {
  /** The table. */
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
  /** Key of the row, as text; `all` if it is about the whole table. */
  readonly row: string
  /** What about it. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

/** A place that is compared. */
export type Place = Pick<Difference, 'table' | 'row' | 'what'>

/** More than anybody reads. */
export const MOST = 1_000
/** Differences of one kind that are kept, so that many of that kind leave room for others. */
const MAX_OF_KIND = 250

/** Differences found so far: the first of each kind, and the count of all. */
export class Findings {
  readonly differences: Difference[] = []
  readonly #ofKinds = new Map<string, number>()
  count = 0

  add(difference: Difference): void {
    this.count++
    const kind = `${difference.table} ${difference.what.replace(/\d+/g, '')}`
    const known = this.#ofKinds.get(kind) ?? 0
    this.#ofKinds.set(kind, known + 1)
    if (known < MAX_OF_KIND && this.differences.length < MOST) this.differences.push(difference)
  }

  /** Adds it if the two are not the same. */
  compare(where: Place, expected: unknown, got: unknown): void {
    if (shown(expected) !== shown(got)) this.differ(where, expected, got)
  }

  /** Adds two that are not the same. Long texts are shortened. */
  differ(where: Place, expected: unknown, got: unknown): void {
    this.add({ ...where, expected: shown(expected).slice(0, LONGEST), got: shown(got).slice(0, LONGEST) })
  }
}

const LONGEST = 200

function shown(value: unknown): string {
  return value === undefined || value === null
    ? 'nothing'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
}
