import { fromUnits, unitsOf, WHOLE } from './scale.js'

/** Answer, and how often it was given. */
export interface Answer {
  readonly kind: string
  readonly isSatisfied: boolean
  readonly count: number
  /** Number from 0 to 1: the part of its weight for which a yes counts. With 0, yes and no are ignored. */
  readonly trust: number
}

/** Weights of kinds. */
export interface Weighing {
  /** Weights by kind: a map, because a kind may have the name `constructor`. */
  readonly weights: ReadonlyMap<string, bigint>
  /** Weight of other kinds. */
  readonly otherWeight: bigint
  /** Kinds that need a yes, and no no. */
  readonly required: readonly string[]
}

/** Exact part of a whole: `0n` of `0n` without answers. */
export interface Share {
  readonly earned: bigint
  readonly all: bigint
}

/** Number of answers that are counted, and of scores that are multiplied, in a step. */
const STEP_SIZE = 64

/**
 * Computes the weight of the satisfied answers over the weight of all trusted answers, in steps. It is zero if a
 * required kind vetoes it.
 */
export function* shareOf(answers: readonly Answer[], weighing: Weighing): Generator<void, Share> {
  const { weights, otherWeight } = weighing
  let [earned, all] = [0n, 0n]
  for (const [at, { kind, isSatisfied, count, trust }] of answers.entries()) {
    if (at % STEP_SIZE === 0) yield
    if (trust === 0) continue
    const weight = (weights.get(kind) ?? otherWeight) * BigInt(count)
    if (isSatisfied) earned += weight * unitsOf(trust)
    all += weight * WHOLE
  }
  const vetoes = yield* findVetoes(answers, weighing)
  return { earned: vetoes.length > 0 ? 0n : earned, all }
}

/** Returns the required kinds without a yes, or with a no. */
export function* findVetoes(
  answers: readonly Answer[],
  { required }: Pick<Weighing, 'required'>,
): Generator<void, string[]> {
  if (required.length === 0) return []
  const [yes, no] = [new Set<string>(), new Set<string>()]
  for (const [at, { kind, isSatisfied, count, trust }] of answers.entries()) {
    if (at % STEP_SIZE === 0) yield
    if (trust === 0 || count === 0) continue
    const said = isSatisfied ? yes : no
    said.add(kind)
  }
  return required.filter((kind) => no.has(kind) || !yes.has(kind))
}

/** Multiplies parts of a whole. */
export function productOf(shares: readonly Share[]): Share {
  return shares.reduce((product, { earned, all }) => ({
    earned: product.earned * earned,
    all: product.all * all,
  }))
}

/** Multiplies scores in steps: 100,000 of them have a product of a million bits. */
export function* productOfScores(scores: readonly number[]): Generator<void, Share> {
  // Skip scores of 1, which are factors of 1.
  const parts = scores.filter((score) => score < 1)
  return { earned: yield* multiply(parts), all: WHOLE ** BigInt(parts.length) }
}

/** Multiplies by halves: one after the other, 65,536 numbers would take seconds. */
function* multiply(scores: readonly number[]): Generator<void, bigint> {
  yield
  if (scores.length <= STEP_SIZE) return scores.reduce((product, one) => product * unitsOf(one), 1n)
  const half = scores.length >> 1
  return (yield* multiply(scores.slice(0, half))) * (yield* multiply(scores.slice(half)))
}

/**
 * Returns a share as a score. Scores are rounded only here: down to four decimals, so that a score of 1 means a whole.
 * Rounding it down again, to whole percent, gives the same as rounding the share itself.
 */
export function scoreOf({ earned, all }: Share): number {
  return all === 0n ? 0 : fromUnits((earned * WHOLE) / all)
}
