import { inTurns } from '../../base/time/steps.js'
import { verifyTurns } from '../../base/time/turns.js'
import {
  type Dossier,
  type Environment,
  type EnvironmentName,
  environmentsOf,
  type JudgedAncestor,
  type JudgedPayload,
  type LogPosition,
  type LowerLayer,
  type Statement,
} from '../../judge/dossier.js'
import type { PayloadName } from '../../judge/payload-name.js'
import type { JudgingPolicy } from '../../judge/policy.js'
import { byteColumn, numberIn, numbers } from '../columns.js'
import type { Row } from '../connection.js'
import { oneRow, type Session } from '../database.js'
import { partsOf, ROWS_TOGETHER } from '../groups.js'
import type { Lexicon } from '../lexicon.js'
import { annotationsIn } from '../stored.js'
import type { AcceptedBundles } from './accepted.js'
import type { ListedSets } from './options.js'
import { A_STEP, aloneOf, type Origins, originsOf } from './origins.js'

/** What a store asks with, and how far. */
export interface Asking {
  readonly session: Session
  readonly lexicon: Lexicon
  readonly policy: JudgingPolicy
  readonly limit: number
  readonly sets: ListedSets
  /** Bundles that count by the trust policy of the question, if it has one. */
  readonly accepted?: AcceptedBundles | undefined
}

/** What a payload is judged by that somebody has spoken of. */
export async function dossierOf(
  asking: Asking,
  id: number,
  name: PayloadName,
  log: LogPosition,
): Promise<Dossier> {
  const { session, policy, limit, sets, accepted } = asking
  const isAlone = policy.ancestors === 'own'
  const following = { session, limit, listed: sets, accepted }
  const origins = isAlone ? await aloneOf(session, id) : await originsOf(following, id)
  const { depths, unlisted, pruned, isWhole } = origins
  const said = await statementsAbout(asking, [...depths.keys()])
  const judged = (one: number, its: PayloadName): JudgedPayload => {
    const gap = pruned.has(one) ? 'pruned' : unlisted.has(one) ? 'set' : undefined
    return { ...its, statements: said.get(one) ?? [], ...(gap && { gap }) }
  }
  const payload = judged(id, name)
  return {
    payload: isWhole ? payload : { ...payload, gap: 'limit' },
    ancestors: await inTurns(ancestorsIn(origins, judged)),
    environments: policy.layers === 'own' ? [] : await environmentsIn(asking, [...said.values()].flat()),
    log,
    ...(accepted && { trust: accepted.refusals.applied }),
  }
}

/** In steps, as there may be very many. */
function* ancestorsIn(
  { depths, names, strangers }: Origins,
  judged: (one: number, its: PayloadName) => JudgedPayload,
): Generator<void, JudgedAncestor[]> {
  const ancestors: JudgedAncestor[] = []
  let looked = 0
  for (const [one, depth] of depths) {
    const its = names.get(one)
    if (its && depth > 0) ancestors.push({ ...judged(one, its), depth })
    if (++looked % A_STEP === 0) yield
  }
  for (const [key, depth] of strangers) {
    ancestors.push({ key, hash: 'sha256', statements: [], depth })
    if (++looked % A_STEP === 0) yield
  }
  return ancestors
}

/** How much the store has. */
export async function logPosition(session: Session, origin: string | undefined): Promise<LogPosition> {
  const head = await oneRow(session, 'select leaves, pruned from alvarium.head')
  const pruned = numberIn(head, 'pruned')
  return {
    ...(origin !== undefined && { origin }),
    size: numberIn(head, 'leaves'),
    ...(pruned > 0 && { pruned }),
  }
}

/** What was said about payloads, alike said once, in the order in which it was last said. */
async function statementsAbout(
  { session, lexicon, accepted }: Asking,
  ids: readonly number[],
): Promise<Map<number, Statement[]>> {
  if (accepted) {
    await accepted.read(ids)
    return new Map(ids.map((id) => [id, accepted.statements(id)]))
  }
  const found = new Map<number, Statement[]>()
  for (const some of partsOf(ids, ROWS_TOGETHER)) {
    await verifyTurns.takeLong()
    addStatements(found, await statementRows(session, lexicon, some), lexicon)
  }
  return found
}

/** Their words and lists are known afterwards. */
async function statementRows(
  session: Session,
  lexicon: Lexicon,
  ids: readonly number[],
): Promise<readonly Row[]> {
  const rows = await session.query(STATEMENTS, [numbers(ids)])
  await lexicon.learn(session, rows, { words: ['signer', 'host', 'layer'], lists: ['kinds', 'tags'] })
  return rows
}

function addStatements(found: Map<number, Statement[]>, rows: readonly Row[], lexicon: Lexicon): void {
  for (const row of rows) {
    const word = (name: string) => lexicon.text(numberIn(row, name))
    const some = found.get(numberIn(row, 'datum')) ?? []
    some.push({
      ...{ signer: word('signer'), host: word('host'), layer: word('layer') },
      annotations: annotationsIn(row, lexicon),
      count: numberIn(row, 'count'),
    })
    found.set(numberIn(row, 'datum'), some)
  }
}

/** An array that the planner does not see: it would estimate each of a thousand payloads, and plan for longer than the answer takes. */
const STATEMENTS = `
  select datum, coalesce(signed_by, signer) as signer, host, layer, kinds, tags, ok, count(*) as count
  from alvarium.bundle where datum = any(array(select unnest($1::text::bigint[])))
  group by 1, 2, 3, 4, 5, 6, 7 order by max(seq)`

/** The builds and hosts that statements stand on, and the machines that those stand on. */
async function environmentsIn(asking: Asking, statements: readonly Statement[]): Promise<Environment[]> {
  const upper = await newestOf(asking, environmentsOf(statements))
  const below = environmentsOf(upper.flatMap((one) => one.statements))
  return [...upper, ...(await newestOf(asking, below))]
}

async function newestOf(asking: Asking, names: readonly EnvironmentName[]): Promise<Environment[]> {
  if (names.length === 0) return []
  const utf8 = (text: string) => new TextEncoder().encode(text)
  const columns = [names.map(({ layer }) => utf8(layer)), names.map(({ tag }) => utf8(tag))].flatMap(
    byteColumn,
  )
  const rows = await asking.session.query(NEWEST, columns)
  const said = await statementsAbout(
    asking,
    rows.map((row) => numberIn(row, 'datum')),
  )
  return rows.map((row) => {
    const { layer, tag } = names[numberIn(row, 'place') - 1] as { layer: LowerLayer; tag: string }
    const statements = said.get(numberIn(row, 'datum')) ?? []
    return { layer, tag, statements: statements.filter((one) => one.layer === layer) }
  })
}

/**
 * For each layer and tag, the payload that was last spoken of so: of each list with the tag, the last row alone is read. In the order of an index,
 * as the planner would walk along all bundles for a rare one.
 */
const NEWEST = `
  select place, datum
  from unnest($2::text::integer[], $3::text::integer[], $5::text::integer[], $6::text::integer[])
    with ordinality as given (layer_start, layer_length, tag_start, tag_length, place)
  join alvarium.word as layer on layer.word = substring($1::bytea from layer_start for layer_length)
  join alvarium.word as tag on tag.word = substring($4::bytea from tag_start for tag_length)
  cross join lateral (
    select datum
    from alvarium.list cross join lateral (
      select datum, seq from alvarium.bundle
      where (tags, bundle.layer) >= (list.id, layer.id) and (tags, bundle.layer) <= (list.id, layer.id)
      order by tags desc, bundle.layer desc, seq desc limit 1
    ) as last
    where list.words @> array[tag.id]
    order by seq desc limit 1
  ) as newest`
