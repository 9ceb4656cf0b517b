import { existsSync } from 'node:fs'
import type { Ancestor, Confidence, PayloadName, ScorePolicy } from 'alvarium-sdk/judge'
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
import { dim, safeText, yellow } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type GatherOptions, gather } from './gather.js'
import { indent, jsonOf, keyText, percent, reasonOf, setText } from './report.js'

interface LineageOptions extends GatherOptions, DrawOptions {
  readonly json?: boolean
}

export const run: Run<LineageOptions> = async ([asked = '', ...sources], options, session) => {
  assertReadOnce({ key: asked, source: (sources.length > 0 ? sources : ['-']).find((one) => one === '-') })
  assertPictureFile(options)
  const parties = options.as && new Parties()
  const { confidence, policy, unlinked, tally } = await gather(sources, options, session, parties)
  const payload = await payloadFor(asked, confidence, session)
  const last = { out: session.err, err: session.err }
  if (!payload) {
    const says = `${tally.says}; none is about the payload`
    if (tally.outcome === 'does not hold') return conclude({ outcome: tally.outcome, says }, options, last)
    return conclude({ outcome: 'cannot tell', says, needs: tally.needs ?? NEEDS.about }, options, last)
  }
  await tellUnlinked(unlinked, session)
  if (parties) await draw({ payload, name: asked }, confidence, parties, options, session)
  else await list(payload, { confidence, policy }, options, session)
  return conclude(tally.judged, options, last)
}

async function list(
  payload: PayloadName,
  { confidence, policy }: { readonly confidence: Confidence; readonly policy: ScorePolicy },
  options: LineageOptions,
  session: Session,
): Promise<void> {
  for (const ancestor of confidence.lineage(payload)) {
    const score = confidence.score(ancestor)
    if (options.json) await session.out.json({ depth: ancestor.depth, ...jsonOf(ancestor, score) })
    else for (const row of ancestorRows(ancestor, score, policy)) await session.out.line(row)
  }
}

async function draw(
  { payload, name }: { readonly payload: PayloadName; readonly name: string },
  confidence: Confidence,
  parties: Parties,
  options: LineageOptions,
  session: Session,
): Promise<void> {
  const payloads = Array.from(confidence.lineage(payload), (one) => ({
    ...{ key: one.key, hash: one.hash, depth: one.depth, madeFromSets: one.madeFromSets },
    madeFrom: [...one.madeFrom.values()],
    score: percent(confidence.score(one)),
  }))
  const picture = pictureOf(
    payloads,
    parties,
    titleOf(name === '-' ? payload.key : name, payload, confidence),
  )
  await drawPicture(picture, payloads.length, options, session)
}

/** Returns a title with the argument, the payload's score, and the lowest score among its sources. */
function titleOf(name: string, payload: PayloadName, confidence: Confidence): string {
  const [own = 0, ...sources] = Array.from(confidence.lineage(payload), (one) => confidence.score(one))
  const lowest = sources.reduce((least, score) => Math.min(least, score), 1)
  const source = sources.length > 0 ? `, lowest source ${percent(lowest).trim()}` : ''
  return `Lineage of ${name}: ${percent(own).trim()}${source}`
}

/** Returns a row for a payload and for each set that it was made from. A set has no known score. */
function ancestorRows(ancestor: Ancestor, score: number, policy: ScorePolicy) {
  const { depth, madeFromSets } = ancestor
  const made = depth > 0 ? dim('made from ') : ''
  return [
    safeText`${percent(score)}  ${indent(depth)}${made}${keyText(ancestor)}  ${reasonOf(ancestor, policy)}`,
    ...Array.from(
      madeFromSets,
      (set) => safeText`    ?  ${indent(depth + 1)}${dim('made from ')}${setText(set)}  unknown`,
    ),
  ]
}

async function tellUnlinked(unlinked: number, { err }: Session): Promise<void> {
  if (unlinked === 0) return
  const text = `${countOf(unlinked, 'mutate')} of other SDKs gave no lineage: nobody signed what was made from what`
  await err.line(safeText`${yellow('note')}  ${text}`)
}

/**
 * Finds the payload for an argument: a file, a payload key, or the beginning of a key.
 *
 * @returns undefined if no verified message is about the payload
 * @throws AlvariumError `CONFIG_INVALID` if several keys have this beginning
 */
async function payloadFor(
  asked: string,
  confidence: Confidence,
  session: Session,
): Promise<PayloadName | undefined> {
  const isBytes = asked === '-' || existsSync(asked)
  const found = isBytes
    ? payloadsIn(await allOf(sourceOf(asked, session.input)), confidence)
    : payloadsNamed(asked, confidence)
  if (found.length <= 1) return found[0]
  const got = `the beginning of ${countOf(found.length, 'key')}`
  throw invalid('<key>', 'a payload key, or a file with the payload', got)
}

/** Returns the payload's key by the first hash that verified messages use for it. */
function payloadsIn(bytes: Uint8Array, confidence: Confidence): PayloadName[] {
  const names = HASHES.flatMap((hash) => {
    const key = keyIfAny(bytes, hash)
    return key === undefined ? [] : [{ key, hash }]
  })
  const known = names.find((name) => confidence.of(name).answers.size + confidence.of(name).bundles > 0)
  return known ? [known] : []
}

function payloadsNamed(asked: string, confidence: Confidence): PayloadName[] {
  const start = asked.toUpperCase()
  const named = [...confidence.payloads()].filter(({ key, hash }) =>
    hash === 'none' ? key.startsWith(asked) : key.startsWith(start),
  )
  const exact = named.filter(({ key, hash }) => key === (hash === 'none' ? asked : start))
  return exact.length > 0 ? exact : named
}
