import { AlvariumError } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { Statement, TrustApplied } from '../../verifying/score/scoring-input.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import type { Entry } from '../ingest/entry.js'
import { numberIn, numbers, optionalNumberIn } from '../rows/columns.js'
import { MAX_ROWS, partsOf } from '../rows/groups.js'
import { nothingRefused, type TrustedReader, type TrustVerdict } from './trusted.js'

/** Bundles per page. Their messages are verified before the next page is read. */
const PAGE_SIZE = 4_096

/** Reads the bundles that a trust policy permits, by payload. Reads each payload once. */
export class AcceptedBundles {
  /** Counts of refused bundles, by error code. */
  readonly #refused: Record<string, number> = {}
  readonly #session: Session
  readonly #trusted: TrustedReader
  readonly #read = new Set<number>()
  readonly #statements = new Map<number, Map<string, Statement & { count: number }>>()
  readonly #parents = new Map<number, Set<number>>()

  constructor(session: Session, trusted: TrustedReader) {
    this.#session = session
    this.#trusted = trusted
  }

  async read(ids: readonly number[]): Promise<void> {
    const unread = [...new Set(ids)].filter((id) => !this.#read.has(id))
    for (const id of unread) this.#read.add(id)
    for (const part of partsOf(unread, MAX_ROWS)) await this.#readSome(numbers(part))
  }

  async #readSome(ids: string): Promise<void> {
    for (let after = -1; ; ) {
      await verifyTurns.yieldIfDueLong()
      const rows = await this.#session.query(SELECT_BUNDLES, [ids, after, PAGE_SIZE])
      const verdicts = await this.#trusted.of(this.#session, rows)
      for (const [at, row] of rows.entries()) this.#add(row, verdicts[at] as TrustVerdict)
      if (rows.length < PAGE_SIZE) return
      after = numberIn(rows.at(-1) as Row, 'seq')
    }
  }

  #add(row: Row, verdict: TrustVerdict): void {
    if (verdict instanceof AlvariumError) {
      this.#refused[verdict.code] = (this.#refused[verdict.code] ?? 0) + 1
      return
    }
    const datum = numberIn(row, 'datum')
    const statements = this.#statements.get(datum) ?? new Map<string, Statement & { count: number }>()
    this.#statements.set(datum, statements)
    const statement = statementIn(verdict)
    const key = JSON.stringify(statement)
    const count = (statements.get(key)?.count ?? 0) + 1
    // Delete first, so that the map keeps the order of the last occurrences.
    statements.delete(key)
    statements.set(key, { ...statement, count })
    const parents = this.#parents.get(datum) ?? new Set()
    this.#parents.set(datum, parents)
    const previous = optionalNumberIn(row, 'previous')
    if (previous !== undefined) parents.add(previous)
    for (const input of (row['inputs'] as unknown[] | null) ?? []) parents.add(Number(input))
  }

  get applied(): TrustApplied {
    return { ...nothingRefused(this.#trusted.policy), refused: { ...this.#refused } }
  }

  /** Returns what permitted bundles state about a payload, without duplicates. The payload must have been read. */
  statements(id: number): Statement[] {
    return [...(this.#statements.get(id)?.values() ?? [])]
  }

  /** Returns the payloads and sets from which a payload was made, according to the permitted bundles. */
  parents(id: number): ReadonlySet<number> {
    return this.#parents.get(id) ?? new Set()
  }
}

function statementIn({ signer, signedBy, host, layer, annotations }: Entry): Statement {
  return {
    signer: signedBy ?? signer,
    host,
    layer,
    annotations: annotations.map(({ kind, tag, isSatisfied }) => ({ kind, tag, isSatisfied })),
  }
}

const SELECT_BUNDLES = `
  select seq, datum, evidence, place, previous, inputs from alvarium.bundle
  where datum = any(array(select unnest($1::text::bigint[]))) and seq > $2::bigint order by seq limit $3::integer`
