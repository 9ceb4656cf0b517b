import { canonicalBytes } from '../../foundation/base/text/canonical.js'
import { compareTexts } from '../../foundation/base/text/text.js'
import { atOnce, inTurns } from '../../foundation/base/time/steps.js'
import type { Dossier, Gap, JudgedPayload, LogPosition, TrustApplied } from './dossier.js'
import { Foremost } from './foremost.js'
import { OwnScores, type Standing, saidBy } from './own.js'
import type { PayloadName } from './payload-name.js'
import type { JudgingPolicy } from './policy.js'
import { productOfScores, scoreOf, vetoesIn } from './share.js'
import { byName as byVoice, type NamedVoice, type Voice } from './voices.js'

/** Number from 0 to 1, rounded down to four decimals; or `unknown`, which is never good enough. */
export type Score = number | 'unknown'

/** Score of an ancestor by its own statements. */
export interface AncestorScore extends PayloadName {
  readonly depth: number
  readonly score: number
}

/** Reasons of a score. Each list has at most 1,000 members. */
export interface Why {
  /** Score by the payload's own statements. */
  readonly own: number
  /** Answers about the payload itself, by kind. Answers with trust `0` did not count. */
  readonly voices: readonly Voice[]
  /** Required kinds without a yes, or with a no. */
  readonly vetoes: readonly string[]
  /** Builds and hosts on which it stands, with `layers: 'stack'`. */
  readonly standsOn: readonly Standing[]
  /** Ancestors of the payload, the worst first. None with `ancestors: 'own'`. */
  readonly ancestors: readonly AncestorScore[]
  /** Payloads whose sources are not all known. */
  readonly gaps: readonly (PayloadName & { readonly gap: Gap })[]
  /** Number of members that these lists would have beyond their 1,000. */
  readonly leftOut: number
}

/** Score of a payload, with the policy, the state of the log and the reasons. */
export interface Verdict extends PayloadName {
  /** Version of this format. */
  readonly version: 1
  readonly score: Score
  /** Digest of the policy. */
  readonly policy: string
  /** State of the log. */
  readonly log?: LogPosition | undefined
  /** Trust policy by which the store has checked its bundles again. Missing if they count as they were stored. */
  readonly trust?: TrustApplied | undefined
  readonly why: Why
}

/** Limit of the members of each list. */
const MOST_REASONS = 1_000

/**
 * Scores a payload by a policy. It is pure: the same dossier and policy give the same verdict, byte for byte, on every
 * platform. All sums are of whole numbers. With 65,536 ancestors it blocks the event loop for 0.05 to 1 s: a service
 * should call {@link judgeInTurns}.
 *
 * @param dossier - known statements, as {@link Fabric.dossier} gathers them
 *
 * @example
 * ```ts
 * import 'alvarium-sdk/core'
 * import { Fabric, judge, readPolicy } from 'alvarium-sdk/judge'
 *
 * const fabric = new Fabric()
 * fabric.add(await verifyMessage(message, { keyring }))
 * const { score, why } = judge(fabric.dossier({ key, hash: 'sha256' }), readPolicy({ version: 1 }))
 * console.log(score, why.vetoes)
 * ```
 */
export function judge(dossier: Dossier, policy: JudgingPolicy): Verdict {
  return atOnce(verdictSteps(dossier, policy))
}

/**
 * Scores as {@link judge} does, and lets timers and sockets have their turn in between: with 65,536 ancestors, it takes
 * 0.05 to 1 s.
 *
 * @example
 * ```ts
 * import 'alvarium-sdk/core'
 * import { Fabric, judgeInTurns, readPolicy } from 'alvarium-sdk/judge'
 *
 * async function scoreOf(fabric: Fabric, key: string) {
 *   const dossier = await fabric.dossierInTurns({ key, hash: 'sha256' }, { limit: 100_000 })
 *   return (await judgeInTurns(dossier, readPolicy({ version: 1 }))).score
 * }
 * ```
 */
export async function judgeInTurns(dossier: Dossier, policy: JudgingPolicy): Promise<Verdict> {
  return inTurns(verdictSteps(dossier, policy))
}

function* verdictSteps(dossier: Dossier, policy: JudgingPolicy): Generator<void, Verdict> {
  const { payload, ancestors = [], environments = [], log, trust } = dossier
  const ownScores = new OwnScores(policy, environments)
  const { score: own, voices, standsOn } = yield* ownScores.of(payload.statements)
  const first = new Foremost(MOST_REASONS, byVoice)
  for (const voice of voices) {
    yield
    first.add(voice)
  }
  const scores = [own]
  const worst = new Foremost(MOST_REASONS, worseFirst)
  const gaps = new Foremost<NamedGap>(MOST_REASONS, byName)
  const isAlone = policy.ancestors === 'own'
  if (!isAlone) addGap(gaps, payload)
  for (const one of isAlone ? [] : ancestors) {
    yield
    const { score } = yield* ownScores.of(one.statements)
    scores.push(score)
    worst.add({ key: one.key, hash: one.hash, depth: one.depth, score })
    addGap(gaps, one)
  }
  const known = yield* togetherSteps(scores, policy)
  return {
    ...{ version: 1, key: payload.key, hash: payload.hash, policy: policy.digest },
    // Keep a score of 0: unknown ancestors cannot lower it.
    score: gaps.count > 0 && known > 0 ? 'unknown' : known,
    ...(log && { log }),
    ...(trust && { trust }),
    why: shortened({
      own,
      voices: first,
      vetoes: yield* vetoesIn(saidBy(voices), policy.weighing),
      standsOn,
      ancestors: worst,
      gaps,
    }),
  }
}

/**
 * Returns the bytes of a verdict, to be hashed or signed: canonical JSON (RFC 8785) in UTF-8.
 *
 * @example
 * ```ts
 * import { keyOf } from 'alvarium-sdk'
 * import { judge, verdictBytes } from 'alvarium-sdk/judge'
 *
 * console.log(keyOf(verdictBytes(judge(dossier, policy))).length) // 64
 * ```
 */
export function verdictBytes(verdict: Verdict): Uint8Array {
  return canonicalBytes(verdict)
}

/** Combines the scores of a payload and of its ancestors. */
export function* togetherSteps(scores: readonly number[], policy: JudgingPolicy): Generator<void, number> {
  const least = scores.reduce((lowest, score) => Math.min(lowest, score), 1)
  if (policy.ancestors !== 'product' || least === 0) return least
  return scoreOf(yield* productOfScores(scores))
}

type NamedGap = Why['gaps'][number]

function addGap(gaps: Foremost<NamedGap>, { key, hash, gap }: JudgedPayload): void {
  if (gap !== undefined) gaps.add({ key, hash, gap })
}

function worseFirst(one: AncestorScore, other: AncestorScore): number {
  return one.score - other.score || one.depth - other.depth || byName(one, other)
}

function byName(one: PayloadName, other: PayloadName): number {
  return compareTexts(one.hash, other.hash) || compareTexts(one.key, other.key)
}

interface WholeWhy extends Omit<Why, 'leftOut' | 'voices' | 'ancestors' | 'gaps'> {
  readonly voices: Foremost<NamedVoice>
  readonly ancestors: Foremost<AncestorScore>
  readonly gaps: Foremost<NamedGap>
}

function shortened({ own, voices, vetoes, standsOn, ancestors, gaps }: WholeWhy): Why {
  const counts = [voices.count, vetoes.length, standsOn.length, ancestors.count, gaps.count]
  const leftOut = counts.reduce((sum, count) => sum + Math.max(0, count - MOST_REASONS), 0)
  return {
    own,
    voices: saidBy(voices.sorted()),
    vetoes: vetoes.slice(0, MOST_REASONS),
    standsOn: standsOn.slice(0, MOST_REASONS),
    ancestors: ancestors.sorted(),
    gaps: gaps.sorted(),
    leftOut,
  }
}
