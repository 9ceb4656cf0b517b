import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { Statement } from '../../verifying/score/scoring-input.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { annotationsIn } from '../questions/stored-bundle.js'
import { numberIn, numbers } from '../rows/columns.js'
import { MAX_ROWS, partsOf } from '../rows/groups.js'
import type { StringTable } from '../rows/string-table.js'
import type { AcceptedBundles } from './accepted.js'

export interface StatementSource {
  readonly session: Session
  readonly strings: StringTable
  /** Bundles that the trust policy of the query permits. Undefined without a policy. */
  readonly accepted?: AcceptedBundles | undefined
}

/** Reads what bundles state about payloads, without duplicates, in the order in which each was last stated. */
export async function statementsAbout(
  source: StatementSource,
  ids: readonly number[],
): Promise<Map<number, Statement[]>> {
  const { session, accepted } = source
  if (accepted) {
    await accepted.read(ids)
    return new Map(ids.map((id) => [id, accepted.statements(id)]))
  }
  const found = new Map<number, Statement[]>()
  for (const part of partsOf(ids, MAX_ROWS)) {
    await verifyTurns.yieldIfDueLong()
    await addStatements(found, await session.query(STATEMENTS, [numbers(part)]), source)
  }
  return found
}

export async function addStatements(
  found: Map<number, Statement[]>,
  rows: readonly Row[],
  { session, strings }: StatementSource,
): Promise<void> {
  await strings.learn(session, rows, { words: ['signer', 'host', 'layer'], lists: ['kinds', 'tags'] })
  for (const row of rows) {
    const word = (name: string) => strings.text(numberIn(row, name))
    const statements = found.get(numberIn(row, 'datum')) ?? []
    statements.push({
      signer: word('signer'),
      host: word('host'),
      layer: word('layer'),
      annotations: annotationsIn(row, strings),
      count: numberIn(row, 'count'),
    })
    found.set(numberIn(row, 'datum'), statements)
  }
}

/**
 * Returns a query for what bundles state about payloads. The array of ids is hidden in a subquery. Otherwise the
 * planner would estimate each of a thousand payloads, and plan for longer than the query takes.
 */
export const statementsOf = (numbers: string) => `
  select datum, coalesce(signed_by, signer) as signer, host, layer, kinds, tags, ok, count(*) as count
  from alvarium.bundle where datum = any(array(select unnest(${numbers}::text::bigint[])))
  group by 1, 2, 3, 4, 5, 6, 7 order by max(seq)`
const STATEMENTS = statementsOf('$1')
