import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { isSame } from '../../foundation/base/bytes/same.js'
import type { Input } from '../../foundation/model/bundle.js'
import type { Session } from '../database/database.js'
import { datumName } from '../rows/payload-name.js'
import { type Findings, MAX_DIFFERENCES, type Place, placeIn } from './findings.js'
import { IdSet } from './id-set.js'
import { datumText } from './names.js'

type ReferenceTable = 'word' | 'list' | 'datum'

export interface List {
  readonly texts: readonly (string | undefined)[]
  readonly digest: Uint8Array
}

/** A row whose value differs from that in the messages, and the places that refer to the row. */
interface DifferingRow {
  readonly to: ReferenceTable
  readonly id: number
  readonly expected: string
  /** Value in the table, as text. Undefined if there is no row with the id. */
  readonly got: string | undefined
  /** Query parameters of {@link FIND_ELSEWHERE}, which finds another row with the expected value. */
  readonly key: readonly unknown[]
  readonly from: Place[]
  furtherPlaces: number
}

/**
 * Decides what was altered if a row's value differs from the value in the message of a bundle that refers to
 * the row by id. The reference is reported if another reference expects the row's value, or if the row is
 * missing and another row has the expected value. The row is reported if no reference expects its value and
 * no other row has the expected value. In all other cases, both are reported.
 */
export class References {
  readonly #right = { word: new IdSet(), list: new IdSet(), datum: new IdSet() }
  readonly #suspects = new Map<string, DifferingRow>()
  readonly #altered = new Set<string>()
  #places = 0

  word(from: Place, id: number, expected: string, got: string | undefined): void {
    if (expected === got) this.#right.word.add(id)
    else this.#suspect(from, { to: 'word', id, expected, got, key: [new TextEncoder().encode(expected)] })
  }

  /**
   * Compares a stored list with the list in a message, by their digests.
   * @returns true if the digests are equal
   */
  list(from: Place, id: number, expected: List, got: List | undefined): boolean {
    if (got && isSame(expected.digest, got.digest)) {
      this.#right.list.add(id)
      return true
    }
    const texts = { expected: shownList(expected), got: got && shownList(got) }
    this.#suspect(from, { to: 'list', id, ...texts, key: [expected.digest] })
    return false
  }

  datum(from: Place, id: number, name: Input, got: string | undefined): void {
    const expected = datumText(name)
    if (expected === got) {
      this.#right.datum.add(id)
      return
    }
    const { hash, digest } = datumName(name)
    this.#suspect(from, { to: 'datum', id, expected, got, key: [toBytes(digest.toLowerCase()), hash] })
  }

  #suspect(from: Place, given: Omit<DifferingRow, 'from' | 'furtherPlaces'>): void {
    const key = JSON.stringify([given.to, given.id, given.expected])
    const suspect = this.#suspects.get(key) ?? { ...given, from: [], furtherPlaces: 0 }
    if (this.#suspects.size < MAX_DIFFERENCES) this.#suspects.set(key, suspect)
    if (this.#places++ < MAX_DIFFERENCES) suspect.from.push(from)
    else suspect.furtherPlaces++
  }

  /** Reports an altered row, unless it was reported for another reference. */
  altered(place: Place, expected: unknown, got: unknown, findings: Findings): void {
    const key = JSON.stringify([place.table, place.row, place.what])
    if (this.#altered.has(key)) return
    this.#altered.add(key)
    findings.differ(place, expected, got)
  }

  /** Reports the altered rows and references. Call it after all references have been compared. */
  async settle(session: Session, findings: Findings): Promise<void> {
    for (const { to, id, expected, got, key, from, furtherPlaces } of this.#suspects.values()) {
      const isElsewhere = (await session.query(FIND_ELSEWHERE[to], [id, ...key])).length > 0
      const isRight = this.#right[to].has(id) || (got === undefined && isElsewhere)
      const part = got === undefined ? 'row' : COMPARED_PART[to]
      if (!isRight) findings.differ(placeIn(to, id, part), expected, got)
      if (!isRight && !isElsewhere) continue
      for (const place of from) findings.differ(place, expected, got)
      findings.count += furtherPlaces
    }
  }
}

function shownList({ digest, texts }: List): string {
  return `${toHex(digest)} of ${JSON.stringify(texts)}`
}

const COMPARED_PART = { word: 'text', list: 'digest', datum: 'name' } as const

const FIND_ELSEWHERE: Readonly<Record<ReferenceTable, string>> = {
  word: 'select from alvarium.word where id <> $1::integer and word = $2::bytea',
  list: 'select from alvarium.list where id <> $1::integer and digest = $2::bytea',
  datum:
    'select from alvarium.datum where id <> $1::text::bigint and digest = $2::bytea and hash = $3::smallint',
}
