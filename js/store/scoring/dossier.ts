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
  type LowerLayer,
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

/** Bounds of the rows that one round trip reads about a payload. */
interface FirstRange {
  /** Maximum number of payloads and sets, including the payload itself. */
  readonly limit: number
  /** True to leave out ancestors. */
  readonly isAlone: boolean
}

/** Rows that {@link firstStatements} select about a payload and about all its ancestors. */
interface FirstRows {
  readonly names: readonly Row[]
  readonly statements: readonly Row[]
  readonly edges: readonly Row[]
}

/**
 * Returns the SQL statements that read the rows about a payload in one round trip. They read at most
 * `MAX_ROWS` ancestors, because more would block the event loop for too long.
 */
function firstStatements({ limit, isAlone }: FirstRange): SqlStatement[] {
  if (isAlone) return [['select true as whole'], [OWN_NAMES], [OWN_STATEMENTS]]
  const maxAncestors = Math.min(limit, MAX_ROWS)
  return [[KEEP_ANCESTORS, [maxAncestors + 1, false]], [OWN_NAMES], [OWN_STATEMENTS], [OWN_EDGES]]
}

const [OWN_NAMES, OWN_STATEMENTS, OWN_EDGES] = [namesOf(NUMBERS), statementsOf(NUMBERS), edgesOf(NUMBERS)]

/** Statement that stores the ids of the payload and its ancestors for later statements, unless there are too many. */
const KEEP_ANCESTORS = `
  select count < $1::integer as whole, ${keepNumbers("case when count < $1::integer then ids else '{}' end")} from (
    select count(*) as count, coalesce(array_agg(id), '{}')::text as ids
    from (${reachQuery(PAYLOAD_NUMBER, 'child', 'parent')}) as found
  ) as counted`

/** Reads the rows of {@link firstStatements}. @returns undefined if there are more rows than the limit */
function readFirstRows([counted, names = [], statements = [], edges = []]: StatementRows):
  | FirstRows
  | undefined {
  return counted?.[0]?.['whole'] === true ? { names, statements, edges } : undefined
}

export interface ScoreContext extends StatementSource {
  readonly policy: ScoringPolicy
  readonly limit: number
  readonly sets: ListedSets
}

/** Policies and limits for scoring a payload. */
export interface ScoreQuestion extends Pick<ScoreContext, 'policy' | 'limit' | 'sets'> {
  readonly trust: TrustPolicy | undefined
  /** Name of the store's log. */
  readonly origin: string | undefined
}

/** Returns the SQL statements that begin a score. The list is empty if a trust policy must verify messages first. */
export function scoreStatements({ policy, limit, sets, trust }: ScoreQuestion): SqlStatement[] {
  const range = { limit: limit + sets.size + 1, isAlone: policy.ancestors === 'own' }
  return trust ? [] : firstStatements(range)
}

/** Returns the scoring input for a payload that the store knows. */
export async function dossierOf(
  asking: ScoreContext,
  id: number,
  { name, head, found }: PayloadLookup,
  origin: string | undefined,
): Promise<ScoringInput> {
  const { policy, accepted } = asking
  const { origins, statements: statementsById } =
    (await basisInOneTrip(asking, id, readFirstRows(found))) ?? (await basisInSteps(asking, id))
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
    ...(accepted && { trust: accepted.refusals.applied }),
  }
}

/** Returns the scoring input for a payload that no bundle names. */
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

/** Returns the state of the store's log at which the score is computed. */
function positionIn(head: Row, origin: string | undefined): LogPosition {
  const pruned = numberIn(head, 'pruned')
  return {
    ...(origin !== undefined && { origin }),
    size: numberIn(head, 'leaves'),
    ...(pruned > 0 && { pruned }),
  }
}

/** Origins of a payload, and what bundles state about the payload and these origins. */
interface Basis {
  readonly origins: Origins
  readonly statements: ReadonlyMap<number, readonly Statement[]>
}

/** Returns the `Basis` from the rows of one round trip. Returns undefined if the rows are not complete. */
async function basisInOneTrip(
  asking: ScoreContext,
  id: number,
  look: FirstRows | undefined,
): Promise<Basis | undefined> {
  if (!look) return undefined
  const { limit, sets: listed } = asking
  const names = noNames()
  addNames(names, look.names)
  const origins = await originsAmong(pairsIn(look.edges), names, { id, limit, listed })
  if (!origins) return undefined
  const statementsById = new Map<number, Statement[]>()
  await addStatements(statementsById, look.statements, asking)
  return { origins, statements: statementsById }
}

/** Reads the `Basis` with several queries, following the ancestors step by step. */
async function basisInSteps(asking: ScoreContext, id: number): Promise<Basis> {
  const { session, policy, limit, sets, accepted } = asking
  const following = { session, limit, listed: sets, accepted }
  const isAlone = policy.ancestors === 'own'
  const origins = isAlone ? await aloneOf(session, id) : await originsOf(following, id)
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
  const utf8 = (text: string) => new TextEncoder().encode(text)
  const columns = [names.map(({ layer }) => utf8(layer)), names.map(({ tag }) => utf8(tag))].flatMap(
    byteColumn,
  )
  const rows = await asking.session.query(NEWEST, columns)
  const statementsById = await statementsAbout(
    asking,
    rows.map((row) => numberIn(row, 'datum')),
  )
  return rows.map((row) => {
    const { layer, tag } = names[numberIn(row, 'place') - 1] as { layer: LowerLayer; tag: string }
    const statements = statementsById.get(numberIn(row, 'datum')) ?? []
    return { layer, tag, statements: statements.filter((one) => one.layer === layer) }
  })
}

/**
 * Selects the payload of the newest bundle for each pair of layer and tag. For each list of tags that has the
 * tag, the query reads only the newest bundle of the layer. It compares the columns `tags` and `layer` as a
 * pair, as the index `bundle_stack` has them. Otherwise the planner would scan all bundles for a rare tag.
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
