import { canonicalBytes } from './canonical.js'
import type { PayloadName } from './confidence.js'
import type { Dossier, Gap, JudgedPayload, LogPosition } from './dossier.js'
import { OwnScores, type Standing } from './own.js'
import type { JudgingPolicy } from './policy.js'
import { productOf, scoreOf, vetoesIn, WHOLE } from './share.js'
import type { Voice } from './voices.js'

/** From 0 to 10,000 ten-thousandths, rounded down; or `unknown`, which is never good enough. */
export type Score = number | 'unknown'

/** What an ancestor scores by what was said of itself. */
export interface AncestorScore extends PayloadName {
  readonly depth: number
  readonly score: number
}

/** What is behind a score. Each list has at most 1,000 members. */
export interface Why {
  /** The score by what was said of the payload itself. */
  readonly own: number
  /** The answers about the payload itself, by kind. Those with trust `0` did not count. */
  readonly voices: readonly Voice[]
  /** Required kinds of which there is no yes, or a no. */
  readonly vetoes: readonly string[]
  /** With `layers: 'stack'`: the builds and hosts that it stands on. */
  readonly standsOn: readonly Standing[]
  /** What it was made from, the worst first. None with `ancestors: 'own'`. */
  readonly ancestors: readonly AncestorScore[]
  /** Payloads of which it is not known what they were made from. */
  readonly gaps: readonly (PayloadName & { readonly gap: Gap })[]
  /** How many members these lists would have beyond their 1,000. */
  readonly leftOut: number
}

/** How far a payload can be trusted, by which policy, from how much, and why. */
export interface Verdict extends PayloadName {
  /** Of this format. */
  readonly version: 1
  readonly score: Score
  /** The digest of the policy. */
  readonly policy: string
  /** How much was known. */
  readonly log?: LogPosition | undefined
  readonly why: Why
}

/** In each list. */
const MOST_REASONS = 1_000

/**
 * Judges a payload by a policy. It is pure: the same dossier and policy give the same verdict, byte for byte, on every platform. All sums are
 * of whole numbers.
 *
 * @param dossier - what is known, as {@link Fabric.dossier} gathers it
 *
 * @example
 * ```ts
 * import 'alvarium-sdk/verify'
 * import { Fabric, judge, readPolicy } from 'alvarium-sdk/judge'
 *
 * const fabric = new Fabric()
 * fabric.add(await verifyMessage(message, { keyring }))
 * const { score, why } = judge(fabric.dossier({ key, hash: 'sha256' }), readPolicy({ version: 1 }))
 * console.log(score, why.vetoes)
 * ```
 */
export function judge(dossier: Dossier, policy: JudgingPolicy): Verdict {
  const { payload, environments = [], log } = dossier
  const ownScores = new OwnScores(policy, environments)
  const { score: own, voices, standsOn } = ownScores.of(payload.statements)
  const counted = policy.ancestors === 'own' ? [] : (dossier.ancestors ?? [])
  const ancestors = counted.map(({ key, hash, depth, statements }) => {
    return { key, hash, depth, score: ownScores.of(statements).score }
  })
  const gaps = policy.ancestors === 'own' ? [] : gapsIn([payload, ...counted])
  const scores = [own, ...ancestors.map(({ score }) => score)]
  const known = together(scores, policy)
  return {
    ...{ version: 1, key: payload.key, hash: payload.hash, policy: policy.digest },
    // What is 0 already cannot turn out to be less.
    score: gaps.length > 0 && known > 0 ? 'unknown' : known,
    ...(log && { log }),
    why: shortened({
      own,
      voices,
      vetoes: vetoesIn(voices, policy.weighing),
      standsOn,
      ancestors: sorted(ancestors),
      gaps,
    }),
  }
}

/**
 * A verdict as bytes, to be hashed or signed: canonical JSON (RFC 8785) in UTF-8.
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

/** The score of a payload and those of what it was made from, as one. */
export function together(scores: readonly number[], policy: JudgingPolicy): number {
  return policy.ancestors === 'product' ? multiplied(scores) : lowest(scores)
}

function multiplied(scores: readonly number[]): number {
  return scoreOf(productOf(scores.map((score) => ({ earned: BigInt(score), all: BigInt(WHOLE) }))))
}

function lowest(scores: readonly number[]): number {
  return scores.reduce((least, score) => Math.min(least, score), WHOLE)
}

function gapsIn(payloads: readonly JudgedPayload[]): Why['gaps'] {
  return payloads
    .flatMap(({ key, hash, gap }) => (gap === undefined ? [] : [{ key, hash, gap }]))
    .sort(byName)
}

function sorted(ancestors: readonly AncestorScore[]): AncestorScore[] {
  return [...ancestors].sort(
    (one, other) => one.score - other.score || one.depth - other.depth || byName(one, other),
  )
}

/** By UTF-16 code units: in no language's order. */
function byName(one: PayloadName, other: PayloadName): number {
  return compared(one.hash, other.hash) || compared(one.key, other.key)
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function shortened(why: Omit<Why, 'leftOut'>): Why {
  const lists = [why.voices, why.vetoes, why.standsOn, why.ancestors, why.gaps]
  const leftOut = lists.reduce((sum, { length }) => sum + Math.max(0, length - MOST_REASONS), 0)
  return {
    own: why.own,
    voices: why.voices.slice(0, MOST_REASONS),
    vetoes: why.vetoes.slice(0, MOST_REASONS),
    standsOn: why.standsOn.slice(0, MOST_REASONS),
    ancestors: why.ancestors.slice(0, MOST_REASONS),
    gaps: why.gaps.slice(0, MOST_REASONS),
    leftOut,
  }
}
