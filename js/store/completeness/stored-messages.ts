import { type Leaf, leafOfIdentity, SINGLE, singleLeaf } from '../../evidence/completeness/checkpoint/leaf.js'
import { countFitting } from '../../foundation/base/bytes/join.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { identityOfClaims } from '../../verifying/verify/large.js'
import { decodeToJson } from '../../verifying/verify/readable.js'
import type { Row } from '../database/connection.js'
import type { Database } from '../database/database.js'
import { bytesIn, numberIn, numbers, textOf } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { timestampIn } from '../rows/moment.js'
import { readPages } from '../rows/read-pages.js'

/** A message as a leaf of its signer's log, with the message's bundles on this page. */
interface StoredMessage {
  readonly leaf: Leaf
  readonly bundles: readonly { readonly id: string; readonly timestamp: string }[]
}

const BUNDLES_PER_PAGE = 1024

/**
 * Reads the messages of a key page by page, starting at a given entry of the store's log. A message that
 * continues on the next page is returned again, with the rest of its bundles.
 */
export async function* storedMessages(
  database: Database,
  codec: Codec | undefined,
  key: string,
  from = 0,
): AsyncGenerator<{ readonly messages: readonly StoredMessage[]; readonly name: string | undefined }, void> {
  let leaves = new Map<number, Leaf>()
  const query = { statement: BUNDLES, count: BUNDLES_PER_PAGE, params: [key, from] }
  for await (const rows of readPages(database, query)) {
    const groups = groupsOf(rows.map((row) => [numberIn(row, 'evidence'), bundleIn(row)] as const))
    const unknown = [...groups.keys()].filter((evidence) => !leaves.has(evidence))
    leaves = new Map([...leaves, ...(await leavesOf(database, codec, unknown))])
    const messages = Array.from(groups, ([evidence, bundles]): StoredMessage => {
      return { leaf: leaves.get(evidence) ?? singleLeaf((bundles[0] as { id: string }).id), bundles }
    })
    const last = numberIn(rows.at(-1) as Row, 'evidence')
    leaves = new Map([...leaves].filter(([evidence]) => evidence === last))
    const named = rows.find((row) => row['name'] !== null)
    yield { messages, name: named && textOf(bytesIn(named, 'name')) }
  }
}

function bundleIn(row: Row): StoredMessage['bundles'][number] {
  return { id: String(row['id']), timestamp: timestampIn(row) }
}

/** Returns the leaves of batches and reformatted messages. Reads their bytes, because no column has the leaf hash. */
async function leavesOf(
  database: Database,
  codec: Codec | undefined,
  evidence: readonly number[],
): Promise<[number, Leaf][]> {
  const sizes = await database.read((session) => session.query(SELECT_BATCHES, [SINGLE, numbers(evidence)]))
  const leaves: [number, Leaf][] = []
  for (let at = 0; at < sizes.length; ) {
    const count = countFitting(sizes, MESSAGES, (row) => numberIn(row, 'bytes'), at)
    const subset = sizes.slice(at, at + count)
    at += count
    const seqs = numbers(subset.map((row) => numberIn(row, 'seq')))
    for (const row of await database.read((session) => session.query(EVIDENCE, [seqs]))) {
      await verifyTurns.yieldIfDueLong()
      const identity = await identityOfClaims(decodeToJson(bytesIn(row, 'message'), codec))
      leaves.push([numberIn(row, 'seq'), leafOfIdentity(identity)])
    }
  }
  return leaves
}

const MESSAGES = { bytes: 4 * 1024 * 1024 }

const KEY = "select id from alvarium.word where word = convert_to($3::text, 'UTF8')"

/** Selects the bundles of a signer in the order of the index: otherwise, the planner would scan all bundles. */
const BUNDLES = `
  select bundle.seq, evidence, encode(leaf.id, 'hex') as id, at::text as at, spelled, name.word as name
  from (
    select * from alvarium.bundle
    where (signer, seq) > ((${KEY}), greatest($1::bigint, $4::bigint - 1)) and signer <= (${KEY}) and action is not null
    order by signer, seq limit $2::integer
  ) as bundle join alvarium.leaf on leaf.seq = bundle.seq left join alvarium.word as name on name.id = signed_by
  order by bundle.seq`

/** Selects messages that do not begin like a single bundle as this SDK writes it. */
const SELECT_BATCHES = `
  select seq, length(message) as bytes from unnest($2::text::bigint[]) as given (seq) join alvarium.evidence using (seq)
  where position($1::bytea in substring(message for 80)) = 0 order by seq`

const EVIDENCE = `
  select seq, message from unnest($1::text::bigint[]) as given (seq) join alvarium.evidence using (seq) order by seq`
