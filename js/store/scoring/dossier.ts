import { runYielding } from '../../foundation/base/time/turns.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { ScoringPolicy } from '../../verifying/score/policy.js'
import {
  type AncestorStatements,
  type Environment,
  type EnvironmentName,
  environmentsOf,
  type LogPosition,
  type PayloadStatements,
  type ScoringInput,
  type Statement,
} from '../../verifying/score/scoring-input.js'
import type { Row, Statement as SqlStatement } from '../database/connection.js'
import type { StatementRows } from '../database/database.js'
import { edgesOf, pairsIn, reachQuery } from '../questions/lineage.js'
import { keepNumbers, NUMBERS, PAYLOAD_NUMBER, type PayloadLookup } from '../questions/payload-lookup.js'
import { addNames, namesOf, noNames } from '../questions/stored-bundle.js'
import { byteColumn, numberIn } from '../rows/columns.js'
import { MAX_ROWS } from '../rows/groups.js'
import type { ListedSets } from './options.js'
import { aloneOf, type Origins, originsAmong, originsOf, STEP_PAYLOADS } from './origins.js'
import { addStatements, type StatementSource, statementsAbout, statementsOf } from './statements.js'
import { nothingRefused } from './trusted.js'

/** Policies and limits for scoring a payload. */
export interface ScoreQuestion {
  readonly policy: ScoringPolicy
  readonly limit: number
  readonly sets: ListedSets
  readonly trust: TrustPolicy | undefined
  /** Name of the store's log. */
  readonly origin: string | undefined
}

interface ScoreContext extends StatementSource, ScoreQuestion {}

/**
 * Returns the SQL statements that read about a payload and its ancestors in one round trip. With a trust policy
 * there are none, because messages must be verified first.
 */
export function scoreStatements({ policy, limit, sets, trust }: ScoreQuestion): SqlStatement[] {
  if (trust) return []
  if (policy.ancestors === 'own') return [['select true as whole'], [OWN_NAMES], [OWN_STATEMENTS]]
  // Reading more than `MAX_ROWS` ancestors at once would block the event loop for too long.
  const maxCount = Math.min(limit + sets.size + 1, MAX_ROWS)
  return [[KEEP_ANCESTORS, [maxCount + 1, false]], [OWN_NAMES], [OWN_STATEMENTS], [OWN_EDGES]]
}

const [OWN_NAMES, OWN_STATEMENTS, OWN_EDGES] = [namesOf(NUMBERS), statementsOf(NUMBERS), edgesOf(NUMBERS)]

/** Statement that stores the ids of the payload and its ancestors for later statements, unless there are too many. */
const KEEP_ANCESTORS = `
  select count < $1::integer as whole, ${keepNumbers("case when count < $1::integer then ids else '{}' end")} from (
    select count(*) as count, coalesce(array_agg(id), '{}')::text as ids
    from (${reachQuery(PAYLOAD_NUMBER, 'child', 'parent')}) as found
  ) as counted`

export async function dossierOf(
  asking: ScoreContext,
  id: number,
  { name, head, found }: PayloadLookup,
): Promise<ScoringInput> {
  const { policy, accepted, origin } = asking
  const { origins, statements: statementsById } =
    (await basisInOneTrip(asking, id, found)) ?? (await basisInSteps(asking, id))
  const { unlisted, pruned, isWhole } = origins
  const withStatements = (one: number, payloadName: PayloadName): PayloadStatements => {
    const gap = pruned.has(one) ? 'pruned' : unlisted.has(one) ? 'set' : undefined
    return { ...payloadName, statements: statementsById.get(one) ?? [], ...(gap && { gap }) }
  }
  const payload = withStatements(id, name)
  return {
    payload: isWhole ? payload : { ...payload, gap: 'limit' },
    ancestors: await runYielding(ancestorsIn(origins, withStatements)),
    environments:
      policy.layers === 'own' ? [] : await environmentsIn(asking, [...statementsById.values()].flat()),
    log: positionIn(head, origin),
    ...(accepted && { trust: accepted.applied }),
  }
}

export function dossierOfUnknown(
  { name, head }: PayloadLookup,
  { trust, origin }: ScoreQuestion,
): ScoringInput {
  return {
    payload: { ...name, statements: [] },
    log: positionIn(head, origin),
    ...(trust && { trust: nothingRefused(trust) }),
  }
}

function positionIn(head: Row, origin: string | undefined): LogPosition {
  const pruned = numberIn(head, 'pruned')
  return {
    ...(origin !== undefined && { origin }),
    size: numberIn(head, 'leaves'),
    ...(pruned > 0 && { pruned }),
  }
}

interface Basis {
  readonly origins: Origins
  readonly statements: ReadonlyMap<number, readonly Statement[]>
}

/**
 * Returns the `Basis` from the rows of {@link scoreStatements}. Returns undefined if there are no such rows,
 * or if they exceed the limit.
 */
async function basisInOneTrip(
  asking: ScoreContext,
  id: number,
  [counted, nameRows = [], statementRows = [], edges = []]: StatementRows,
): Promise<Basis | undefined> {
  if (counted?.[0]?.['whole'] !== true) return undefined
  const { limit, sets: listed } = asking
  const names = noNames()
  addNames(names, nameRows)
  const origins = await originsAmong(pairsIn(edges), names, { id, limit, listed })
  if (!origins) return undefined
  const statements = new Map<number, Statement[]>()
  await addStatements(statements, statementRows, asking)
  return { origins, statements }
}

async function basisInSteps(asking: ScoreContext, id: number): Promise<Basis> {
  const { session, policy, limit, sets: listed, accepted } = asking
  const isAlone = policy.ancestors === 'own'
  const origins = isAlone
    ? await aloneOf(session, id)
    : await originsOf({ session, limit, listed, accepted }, id)
  return { origins, statements: await statementsAbout(asking, [...origins.depths.keys()]) }
}

/** Lists the ancestors. Yields regularly to the event loop, because there may be very many. */
function* ancestorsIn(
  { depths, names, strangers }: Origins,
  withStatements: (one: number, its: PayloadName) => PayloadStatements,
): Generator<void, AncestorStatements[]> {
  const ancestors: AncestorStatements[] = []
  let looked = 0
  for (const [one, depth] of depths) {
    const payloadName = names.get(one)
    if (payloadName && depth > 0) ancestors.push({ ...withStatements(one, payloadName), depth })
    if (++looked % STEP_PAYLOADS === 0) yield
  }
  for (const [key, depth] of strangers) {
    ancestors.push({ key, hash: 'sha256', statements: [], depth })
    if (++looked % STEP_PAYLOADS === 0) yield
  }
  return ancestors
}

/** Returns the builds and hosts that statements refer to, and the machines that these builds and hosts refer to. */
async function environmentsIn(
  asking: ScoreContext,
  statements: readonly Statement[],
): Promise<Environment[]> {
  const upper = await newestOf(asking, environmentsOf(statements))
  const below = environmentsOf(upper.flatMap((one) => one.statements))
  return [...upper, ...(await newestOf(asking, below))]
}

async function newestOf(asking: ScoreContext, names: readonly EnvironmentName[]): Promise<Environment[]> {
  if (names.length === 0) return []
  const columnOf = (texts: readonly string[]) =>
    byteColumn(texts.map((text) => new TextEncoder().encode(text)))
  const [layers, tags] = [columnOf(names.map(({ layer }) => layer)), columnOf(names.map(({ tag }) => tag))]
  const rows = await asking.session.query(NEWEST, [...layers, ...tags])
  const data = rows.map((row) => numberIn(row, 'datum'))
  const statementsById = await statementsAbout(asking, data)
  return rows.map((row, at) => {
    const { layer, tag } = names[numberIn(row, 'place') - 1] as EnvironmentName
    const statements = statementsById.get(data[at] as number) ?? []
    return { layer, tag, statements: statements.filter((one) => one.layer === layer) }
  })
}

/**
 * Selects the payload of the newest bundle for each pair of layer and tag. Compares `tags` and `layer` as a
 * pair, as in the index `bundle_stack`: otherwise the planner would scan all bundles for a rare tag.
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
