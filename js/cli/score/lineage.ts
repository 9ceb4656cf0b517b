import { existsSync } from 'node:fs'
import {
  type AncestorStatements,
  type BundleGraph,
  type PayloadName,
  type Score,
  type ScoringPolicy,
  scorePayload,
  type Why,
} from 'alvarium-sdk/score'
import { keyIfAny } from '../../foundation/core/hashing.js'
import { HASHES } from '../../foundation/model/bundle.js'
import { invalid } from '../fault.js'
import { allOf, sourceOf } from '../input/source.js'
import { assertPictureFile, type DrawOptions, drawPicture } from '../lineage/draw-picture.js'
import { Parties } from '../lineage/parties.js'
import { pictureOf } from '../lineage/picture.js'
import type { Run, Session } from '../session.js'
import { assertReadOnce } from '../set/files.js'
import { conclude, NEEDS } from '../terminal/outcome.js'
import { dim, type SafeText, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type GatherOptions, gather } from './gather.js'
import { indent, keyText, percent, reasonOf, setText } from './report.js'

interface LineageOptions extends GatherOptions, DrawOptions {
  readonly json?: boolean
}

export const run: Run<LineageOptions> = async ([argument = '', ...sources], options, session) => {
  assertReadOnce({ key: argument, source: (sources.length > 0 ? sources : ['-']).find((one) => one === '-') })
  assertPictureFile(options)
  const parties = options.as && new Parties()
  const { graph, policy, unlinked, tally } = await gather(sources, options, session, parties)
  const payload = await payloadFor(argument, graph, session)
  const last = { out: session.err, err: session.err }
  if (!payload) {
    const says = `${tally.says}; none is about the payload`
    if (tally.outcome === 'does not hold') return conclude({ outcome: tally.outcome, says }, options, last)
    return conclude({ outcome: 'cannot tell', says, needs: tally.needs ?? NEEDS.about }, options, last)
  }
  if (unlinked > 0)
    await session.err.note(
      `${countOf(unlinked, 'mutate')} of other SDKs gave no lineage: nobody signed what was made from what`,
    )
  const lineage = scoreLineage(payload, graph, policy)
  if (parties) await draw(argument === '-' ? payload.key : argument, [...lineage], parties, options, session)
  else await list(lineage, options, session)
  return conclude(tally.judged, options, last)
}

interface ScoredAncestor extends AncestorStatements {
  readonly score: Score
  readonly why: Why
  readonly madeFrom: readonly PayloadName[]
  readonly madeFromSets: readonly string[]
}

/**
 * Yields the payload with its score, and then its ancestors. The score of an ancestor counts only messages about
 * that ancestor: with `limit: 0`, `scorePayload` reports that the ancestor's own sources are missing. That entry of
 * `why.gaps` is removed, because the lineage lists the sources itself.
 */
function* scoreLineage(
  payload: PayloadName,
  graph: BundleGraph,
  policy: ScoringPolicy,
): Generator<ScoredAncestor, void> {
  for (const one of graph.lineage(payload)) {
    const options = one.depth === 0 ? {} : { limit: 0 }
    const { score, why } = scorePayload(graph.scoringInput(one, options), policy)
    const sources = { madeFrom: graph.madeFrom(one), madeFromSets: graph.madeFromSets(one) }
    yield one.depth === 0
      ? { ...one, ...sources, score, why }
      : { ...one, ...sources, score: why.own, why: { ...why, gaps: [] } }
  }
}

async function list(
  lineage: Iterable<ScoredAncestor>,
  { json }: LineageOptions,
  { out }: Session,
): Promise<void> {
  for (const { why, ...one } of lineage) {
    const value = { ...one, madeFrom: one.madeFrom.map(({ key }) => key) }
    await out.show(json, value, () => ancestorRows({ why, ...one }))
  }
}

async function draw(
  name: string,
  lineage: readonly ScoredAncestor[],
  parties: Parties,
  options: LineageOptions,
  session: Session,
): Promise<void> {
  const payloads = lineage.map((one) => ({ ...one, score: percent(one.score) }))
  const [first] = payloads as [(typeof payloads)[number]]
  const [lowest] = first.why.ancestors
  const source = lowest ? `, lowest source ${percent(lowest.score)}` : ''
  const picture = pictureOf(payloads, parties, `Lineage of ${name}: ${first.score}${source}`)
  await drawPicture(picture, payloads.length, options, session)
}

/** Returns a row for a payload and for each set that it was made from. A set has no known score. */
function ancestorRows(ancestor: ScoredAncestor): SafeText[] {
  const { depth, madeFromSets, score, why } = ancestor
  const prefix = dim('made from ')
  const row = (score: Score, depth: number, rest: SafeText) =>
    safeText`${percent(score).padStart(7)}  ${indent(depth)}${depth > 0 ? prefix : ''}${rest}`
  return [
    row(score, depth, safeText`${keyText(ancestor)}  ${reasonOf(why)}`),
    ...madeFromSets.map((set) => row('unknown', depth + 1, setText(set))),
  ]
}

/**
 * Finds the payload for an argument: a file, a payload key, or the beginning of a payload key.
 *
 * @returns undefined if no verified message is about the payload
 */
async function payloadFor(
  argument: string,
  graph: BundleGraph,
  session: Session,
): Promise<PayloadName | undefined> {
  const isBytes = argument === '-' || existsSync(argument)
  const found = isBytes
    ? payloadsIn(await allOf(sourceOf(argument, session.input)), graph)
    : payloadsNamed(argument, graph)
  if (found.length <= 1) return found[0]
  const got = `the beginning of ${countOf(found.length, 'key')}`
  throw invalid('<key>', 'a payload key, or a file with the payload', got)
}

/**
 * Returns a list with the payload key that a verified message is about, or an empty list if there is none.
 * Tries the hashes in the order of `HASHES`.
 */
function payloadsIn(bytes: Uint8Array, graph: BundleGraph): PayloadName[] {
  const names = HASHES.flatMap((hash) => {
    const key = keyIfAny(bytes, hash)
    return key === undefined ? [] : [{ key, hash }]
  })
  const known = names.find((name) => graph.statements(name).length > 0)
  return known ? [known] : []
}

function payloadsNamed(argument: string, graph: BundleGraph): PayloadName[] {
  const start = argument.toUpperCase()
  const named = [...graph.payloads()].filter(({ key, hash }) =>
    hash === 'none' ? key.startsWith(argument) : key.startsWith(start),
  )
  const exact = named.filter(({ key, hash }) => key === (hash === 'none' ? argument : start))
  return exact.length > 0 ? exact : named
}
