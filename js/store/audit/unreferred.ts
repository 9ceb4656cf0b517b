import { callTurns } from '../../foundation/base/time/turns.js'
import type { Session } from '../database/database.js'
import { LEFT_TABLES } from '../pruning/record.js'
import { numberIn } from '../rows/columns.js'
import { type Findings, placeIn } from './findings.js'
import type { AuditedPrunings } from './prunings.js'

const FETCH_ROWS = 65_536
/** Largest id to check. A higher one was reported as a gap, because ids are assigned without gaps. */
const MAX_ID = Number.MAX_SAFE_INTEGER - 1

/** Reports rows without references. Skips rows that a pruning in the log lists as possibly unreferenced. */
export async function auditUnreferred(
  session: Session,
  findings: Findings,
  left: AuditedPrunings['left'],
): Promise<void> {
  for (const table of LEFT_TABLES) {
    await session.query(`declare unreferred no scroll cursor for ${unreferredIn(table)}`)
    for (let rows = await fetchRanges(session); rows.length > 0; rows = await fetchRanges(session)) {
      await callTurns.yieldIfDueLong()
      for (const row of rows) {
        for (let id = numberIn(row, 'first'); id <= numberIn(row, 'last'); id++) {
          if (left[table].has(id)) continue
          findings.differ(placeIn(table, id, 'row'), 'nothing', 'what no bundle has')
        }
      }
    }
    await session.query('close unreferred')
  }
}

function fetchRanges(session: Session) {
  return session.query(`fetch ${FETCH_ROWS} from unreferred`)
}

const REFERRING = {
  word: [
    ...['signer', 'signed_by', 'host', 'layer'].map((column) => `select ${column} from alvarium.bundle`),
    'select unnest(words) from alvarium.list',
  ],
  list: ['select kinds from alvarium.bundle', 'select tags from alvarium.bundle'],
  datum: [
    'select datum from alvarium.bundle',
    'select previous from alvarium.bundle',
    'select implied from alvarium.bundle',
    'select unnest(inputs) from alvarium.bundle',
    // Include the parents in edges: after a bundle was altered or removed, its edges still name the payloads
    // from which its payload was made.
    'select parent from alvarium.edge',
  ],
}

/** Returns a query for ranges of unreferenced ids, because prunings can leave millions of consecutive rows. */
function unreferredIn(table: keyof typeof REFERRING): string {
  return `
    select min(id)::text as first, max(id)::text as last from (
      select id, id - row_number() over (order by id) as range from (
        select id from alvarium.${table} except (${REFERRING[table].join(' union all ')})
      ) as lone where id >= 0 and id <= ${MAX_ID}
    ) as numbered group by range order by min(id)`
}
