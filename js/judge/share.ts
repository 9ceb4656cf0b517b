import { fromUnits, unitsOf, WHOLE } from './scale.js'

/** The same answer, so many times over. */
export interface Answer {
  readonly kind: string
  readonly isSatisfied: boolean
  readonly count: number
  /** Number from 0 to 1: the part of its weight for which a yes counts. With 0, yes and no are ignored. */
  readonly trust: number
}

/** How much each kind counts. */
export interface Weighing {
  /** A map, because a kind may be called `constructor`. */
  readonly weights: ReadonlyMap<string, bigint>
  /** Of a kind that is not named. */
  readonly otherWeight: bigint
  /** Kinds of which there must be a yes, and no no. */
  readonly required: readonly string[]
}

/** A part of a whole, exactly: `0n` of `0n` if nothing was said. */
export interface Share {
  readonly earned: bigint
  readonly all: bigint
}

/** So many answers are looked at, and scores multiplied, in a step. */
const TOGETHER = 64

/** The weight of what is satisfied, over the weight of everything that was heard; nothing, if a required kind vetoes it. In steps. */
export function* shareOf(answers: readonly Answer[], weighing: Weighing): Generator<void, Share> {
  const { weights, otherWeight } = weighing
  let [earned, all] = [0n, 0n]
  for (const [at, { kind, isSatisfied, count, trust }] of answers.entries()) {
    if (at % TOGETHER === 0) yield
    if (trust === 0) continue
    const weight = (weights.get(kind) ?? otherWeight) * BigInt(count)
    if (isSatisfied) earned += weight * unitsOf(trust)
    all += weight * WHOLE
  }
  const vetoes = yield* vetoesIn(answers, weighing)
  return { earned: vetoes.length > 0 ? 0n : earned, all }
}

/** The required kinds of which no yes was heard, or a no. */
export function* vetoesIn(
  answers: readonly Answer[],
  { required }: Pick<Weighing, 'required'>,
): Generator<void, string[]> {
  if (required.length === 0) return []
  const [yes, no] = [new Set<string>(), new Set<string>()]
  for (const [at, { kind, isSatisfied, count, trust }] of answers.entries()) {
    if (at % TOGETHER === 0) yield
    if (trust === 0 || count === 0) continue
    const said = isSatisfied ? yes : no
    said.add(kind)
  }
  return required.filter((kind) => no.has(kind) || !yes.has(kind))
}

/** How much of a whole all of these parts together leave. */
export function productOf(shares: readonly Share[]): Share {
  return shares.reduce((product, { earned, all }) => ({
    earned: product.earned * earned,
    all: product.all * all,
  }))
}

/** The same of scores, in steps: 100,000 of them have a product of a million bits. */
export function* productOfScores(scores: readonly number[]): Generator<void, Share> {
  // A score of 1 is a factor of 1.
  const parts = scores.filter((score) => score < 1)
  return { earned: yield* multiply(parts), all: WHOLE ** BigInt(parts.length) }
}

/** By halves: one behind the other, 65,536 numbers would take seconds. */
function* multiply(scores: readonly number[]): Generator<void, bigint> {
  yield
  if (scores.length <= TOGETHER) return scores.reduce((product, one) => product * unitsOf(one), 1n)
  const half = scores.length >> 1
  return (yield* multiply(scores.slice(0, half))) * (yield* multiply(scores.slice(half)))
}

/**
 * Returns a share as a score. Only here are scores rounded: down to four decimals, so 1 says that nothing is amiss. Rounding again, down to
 * whole percent, gives the same as rounding the share itself.
 */
export function scoreOf({ earned, all }: Share): number {
  return all === 0n ? 0 : fromUnits((earned * WHOLE) / all)
}
