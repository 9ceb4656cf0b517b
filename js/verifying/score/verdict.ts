import { canonicalBytes } from '../../foundation/base/text/canonical.js'
import { compareTexts } from '../../foundation/base/text/text.js'
import { runSync, runYielding } from '../../foundation/base/time/turns.js'
import { type EnvironmentScore, OwnScorer, withoutNames } from './own-score.js'
import type { PayloadName } from './payload-name.js'
import type { ScoringPolicy } from './policy.js'
import type { Gap, LogPosition, PayloadStatements, ScoringInput, TrustApplied } from './scoring-input.js'
import { findVetoes, productOfScores, scoreOf } from './share.js'
import { compareAnswers, type NamedAnswer, type SignerAnswer } from './signer-answers.js'

/** Finds the first few of many values in sort order, and counts all. Sorting all would block the event loop. */
class TopN<T> {
  readonly #limit: number
  readonly #compare: (one: T, other: T) => number
  #candidates: T[] = []
  #count = 0

  constructor(limit: number, compare: (one: T, other: T) => number) {
    this.#limit = limit
    this.#compare = compare
  }

  add(one: T): void {
    this.#count++
    this.#candidates.push(one)
    if (this.#candidates.length >= 4 * this.#limit) this.#shorten()
  }

  get count(): number {
    return this.#count
  }

  sorted(): readonly T[] {
    this.#shorten()
    return this.#candidates
  }

  #shorten(): void {
    this.#candidates = this.#candidates.sort(this.#compare).slice(0, this.#limit)
  }
}

/** Number from 0 to 1, rounded down to four decimals, or `unknown`. Never treat `unknown` as good enough. */
export type Score = number | 'unknown'

/** Score of an ancestor by its own statements. */
export interface AncestorScore extends PayloadName {
  readonly depth: number
  readonly score: number
}

/** Reasons for a score. Each list has at most 1,000 entries. */
export interface Why {
  /** Score by the payload's own statements. */
  readonly own: number
  /** Annotations about the payload, see {@link SignerAnswer}. Trust `0` means that they are ignored. */
  readonly answers: readonly SignerAnswer[]
  /** Required kinds without a satisfied annotation, or with an unsatisfied one. */
  readonly vetoes: readonly string[]
  /** Builds and machines that the payload depends on. Empty unless `layers` is `'stack'`. */
  readonly environments: readonly EnvironmentScore[]
  /** Ancestors of the payload, the lowest score first. Empty if `ancestors` is `'own'`. */
  readonly ancestors: readonly AncestorScore[]
  /** Payloads with unknown sources, and the reason. */
  readonly gaps: readonly (PayloadName & { readonly gap: Gap })[]
  /** Number of entries missing from the lists because of their limit of 1,000. */
  readonly leftOut: number
}

/** Score of a payload, with the policy, the state of the log and the reasons. */
export interface Verdict extends PayloadName {
  /** Version of the verdict format. */
  readonly version: 1
  readonly score: Score
  /**
   * Digest of the scoring policy. It is computed only when it is read, because the computation needs the
   * core.
   */
  readonly policy: string
  /** State of the log when the payload was scored. */
  readonly log?: LogPosition | undefined
  /** Trust policy that the store applied to its bundles for this score; absent if all stored bundles count. */
  readonly trust?: TrustApplied | undefined
  readonly why: Why
}

const MAX_REASONS = 1_000

/**
 * Scores a payload by a policy. The same input and policy give the same verdict, byte for byte, on every
 * platform. In services, call {@link scorePayloadInTurns}: 65,536 ancestors block the event loop for 0.05 to 1 s.
 *
 * @param input - statements, such as {@link BundleGraph.scoringInput} gathers
 *
 * @example
 * ```ts
 * import 'alvarium-sdk/core'
 * import { BundleGraph, scorePayload, readPolicy } from 'alvarium-sdk/score'
 *
 * const graph = new BundleGraph()
 * graph.add(await verifyMessage(message, { keyring }))
 * const { score, why } = scorePayload(graph.scoringInput({ key, hash: 'sha256' }), readPolicy({ version: 1 }))
 * console.log(score, why.vetoes)
 * ```
 */
export function scorePayload(input: ScoringInput, policy: ScoringPolicy): Verdict {
  return runSync(verdictSteps(input, policy))
}

/**
 * Scores a payload like {@link scorePayload}, but yields to the event loop. Scoring takes 0.05 to 1 s for 65,536
 * ancestors.
 *
 * @example
 * ```ts
 * import 'alvarium-sdk/core'
 * import { BundleGraph, scorePayloadInTurns, readPolicy } from 'alvarium-sdk/score'
 *
 * async function scoreOf(graph: BundleGraph, key: string) {
 *   const input = await graph.scoringInputInTurns({ key, hash: 'sha256' }, { limit: 100_000 })
 *   return (await scorePayloadInTurns(input, readPolicy({ version: 1 }))).score
 * }
 * ```
 */
export async function scorePayloadInTurns(input: ScoringInput, policy: ScoringPolicy): Promise<Verdict> {
  return runYielding(verdictSteps(input, policy))
}

function* verdictSteps(input: ScoringInput, policy: ScoringPolicy): Generator<void, Verdict> {
  const { payload, ancestors = [], log, trust } = input
  const ownScores = new OwnScorer(policy, input.environments ?? [])
  const { score: payloadScore, answers, environments } = yield* ownScores.score(payload.statements)
  const first = new TopN(MAX_REASONS, compareAnswers)
  for (const answer of answers) {
    yield
    first.add(answer)
  }
  const scores = [payloadScore]
  const worst = new TopN(MAX_REASONS, compareAncestors)
  const gaps = new TopN<NamedGap>(MAX_REASONS, compareNames)
  const isAlone = policy.ancestors === 'own'
  if (!isAlone) addGap(gaps, payload)
  for (const one of isAlone ? [] : ancestors) {
    yield
    const { score } = yield* ownScores.score(one.statements)
    scores.push(score)
    worst.add({ key: one.key, hash: one.hash, depth: one.depth, score })
    addGap(gaps, one)
  }
  const known = yield* combineScores(scores, policy)
  return {
    version: 1,
    key: payload.key,
    hash: payload.hash,
    get policy() {
      return policy.digest
    },
    // Return a known score of 0 in spite of gaps, because no unknown ancestor can lower it.
    score: gaps.count > 0 && known > 0 ? 'unknown' : known,
    ...(log && { log }),
    ...(trust && { trust }),
    why: shorten({
      own: payloadScore,
      answers: first,
      vetoes: yield* findVetoes(withoutNames(answers), policy.weighing),
      environments,
      ancestors: worst,
      gaps,
    }),
  }
}

/**
 * Returns the bytes of a verdict for hashing or signing: canonical JSON (RFC 8785) in UTF-8.
 *
 * @example
 * ```ts
 * import { keyOf } from 'alvarium-sdk'
 * import { scorePayload, verdictBytes } from 'alvarium-sdk/score'
 *
 * console.log(keyOf(verdictBytes(scorePayload(scoringInput, policy))).length) // 64
 * ```
 */
export function verdictBytes(verdict: Verdict): Uint8Array {
  return canonicalBytes(verdict)
}

export function* combineScores(scores: readonly number[], policy: ScoringPolicy): Generator<void, number> {
  const least = scores.reduce((lowest, score) => Math.min(lowest, score), 1)
  if (policy.ancestors !== 'product' || least === 0) return least
  return scoreOf(yield* productOfScores(scores))
}

type NamedGap = Why['gaps'][number]

function addGap(gaps: TopN<NamedGap>, { key, hash, gap }: PayloadStatements): void {
  if (gap !== undefined) gaps.add({ key, hash, gap })
}

function compareAncestors(one: AncestorScore, other: AncestorScore): number {
  return one.score - other.score || one.depth - other.depth || compareNames(one, other)
}

function compareNames(one: PayloadName, other: PayloadName): number {
  return compareTexts(one.hash, other.hash) || compareTexts(one.key, other.key)
}

interface AllReasons extends Omit<Why, 'leftOut' | 'answers' | 'ancestors' | 'gaps'> {
  readonly answers: TopN<NamedAnswer>
  readonly ancestors: TopN<AncestorScore>
  readonly gaps: TopN<NamedGap>
}

function shorten({ own, answers, vetoes, environments, ancestors, gaps }: AllReasons): Why {
  const counts = [answers.count, vetoes.length, environments.length, ancestors.count, gaps.count]
  const leftOut = counts.reduce((sum, count) => sum + Math.max(0, count - MAX_REASONS), 0)
  return {
    own,
    answers: withoutNames(answers.sorted()),
    vetoes: vetoes.slice(0, MAX_REASONS),
    environments: environments.slice(0, MAX_REASONS),
    ancestors: ancestors.sorted(),
    gaps: gaps.sorted(),
    leftOut,
  }
}
