import { fromUnits, unitsOf, WHOLE } from './scale.js'

/** Annotations of a kind, counted together, with the trust in their signer. */
export interface Answer {
  readonly kind: string
  readonly isSatisfied: boolean
  readonly count: number
  /** Trust from 0 to 1, by which the weight is multiplied if `isSatisfied`. With 0, the answer is ignored. */
  readonly trust: number
}

export interface Weighing {
  /** Weights by kind. This is a map, because a kind may have the name `constructor`. */
  readonly weights: ReadonlyMap<string, bigint>
  readonly otherWeight: bigint
  /** Kinds that need a satisfied answer and must not have an unsatisfied one. */
  readonly required: readonly string[]
}

/**
 * Score as an exact fraction: `earned`, the weight of the satisfied annotations times their trust, divided by
 * `all`, the weight of all trusted annotations. `earned` is `0n` after a veto by a required kind; `all` is
 * `0n` if no trusted annotation has a weight above 0.
 */
export interface Share {
  readonly earned: bigint
  readonly all: bigint
}

/** Number of answers to count, or of scores to multiply, in one step. */
const STEP_SIZE = 64

/**
 * Computes the weight of the satisfied answers divided by the weight of all trusted answers, in steps. The
 * result is zero if a required kind has no satisfied answer, or has an unsatisfied one.
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

export function* findVetoes(
  answers: readonly Answer[],
  { required }: Pick<Weighing, 'required'>,
): Generator<void, string[]> {
  if (required.length === 0) return []
  const [yes, no] = [new Set<string>(), new Set<string>()]
  for (const [at, { kind, isSatisfied, count, trust }] of answers.entries()) {
    if (at % STEP_SIZE === 0) yield
    if (trust === 0 || count === 0) continue
    const kinds = isSatisfied ? yes : no
    kinds.add(kind)
  }
  return required.filter((kind) => no.has(kind) || !yes.has(kind))
}

export function productOf(shares: readonly Share[]): Share {
  return shares.reduce((product, { earned, all }) => ({
    earned: product.earned * earned,
    all: product.all * all,
  }))
}

/** Multiplies scores in steps, because the product of 100,000 scores has a million bits. */
export function* productOfScores(scores: readonly number[]): Generator<void, Share> {
  const parts = scores.filter((score) => score < 1)
  return { earned: yield* multiply(parts), all: WHOLE ** BigInt(parts.length) }
}

/** Multiplies scores by recursive halving, because multiplying 65,536 numbers one after another takes seconds. */
function* multiply(scores: readonly number[]): Generator<void, bigint> {
  yield
  if (scores.length <= STEP_SIZE) return scores.reduce((product, one) => product * unitsOf(one), 1n)
  const half = scores.length >> 1
  return (yield* multiply(scores.slice(0, half))) * (yield* multiply(scores.slice(half)))
}

/**
 * Converts a fraction to a score, rounded down to four decimals, so that only the fraction 1 scores 1. Rounding
 * the score down to whole percent gives the same result as rounding the fraction.
 */
export function scoreOf({ earned, all }: Share): number {
  return all === 0n ? 0 : fromUnits((earned * WHOLE) / all)
}
