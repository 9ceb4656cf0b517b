import { LAYERS } from '../../foundation/model/bundle.js'
import type { ScoringPolicy } from './policy.js'
import { unitsOf, WHOLE } from './scale.js'
import { type Environment, environmentKey, type LowerLayer, type Statement } from './scoring-input.js'
import { productOf, type Share, scoreOf, shareOf } from './share.js'
import { collectAnswers, type NamedAnswer, type SignerAnswer } from './signer-answers.js'

/** Score of a build or machine that a payload's annotations depend on. */
export interface EnvironmentScore {
  readonly layer: LowerLayer
  readonly tag: string
  /** Number from 0 to 1; absent if there are no trusted statements about the build or machine. */
  readonly score?: number
}

export interface OwnScore {
  readonly score: number
  /** Answers that the score counts, in no particular order. */
  readonly answers: readonly NamedAnswer[]
  readonly environments: readonly EnvironmentScore[]
}

/**
 * Scores payloads by their own statements. Scores each build or machine once. Works in short steps, because
 * many signers may have statements about one payload.
 */
export class OwnScorer {
  readonly #policy: ScoringPolicy
  readonly #environments: ReadonlyMap<string, Environment>
  readonly #scores = new Map<string, number | undefined>()
  readonly #byStatement = new WeakMap<Statement, OwnScore>()

  constructor(policy: ScoringPolicy, environments: readonly Environment[]) {
    this.#policy = policy
    this.#environments = new Map(environments.map((one) => [environmentKey(one), one]))
  }

  /**
   * Computes a score from statements. If there is only one statement, caches its score, because many payloads
   * have an equal statement.
   */
  *score(statements: readonly Statement[]): Generator<void, OwnScore> {
    const [only] = statements
    if (!only || statements.length > 1) return yield* this.#compute(statements)
    const known = this.#byStatement.get(only) ?? (yield* this.#compute(statements))
    this.#byStatement.set(only, known)
    return known
  }

  *#compute(statements: readonly Statement[]): Generator<void, OwnScore> {
    const namedAnswers = yield* collectAnswers(statements, this.#policy)
    if (this.#policy.layers === 'own') {
      const share = yield* shareOf(withoutNames(namedAnswers), this.#policy.weighing)
      return { score: scoreOf(share), answers: namedAnswers, environments: [] }
    }
    const layer = LAYERS.find((one) =>
      namedAnswers.some(([, answer]) => answer.layer === one && answer.trust > 0),
    )
    return yield* this.#scoreStack(
      namedAnswers.filter(([, answer]) => answer.layer === layer),
      layer,
    )
  }

  /**
   * Scores the answers of a layer, multiplied by the average scores of the builds and machines on which they depend.
   * The Go program scoring-apps-go scores in the same way.
   */
  *#scoreStack(answers: readonly NamedAnswer[], layer: string | undefined): Generator<void, OwnScore> {
    const below = layer === 'app' ? BELOW_APP : layer === 'os' ? BELOW_OS : []
    const heard = withoutNames(answers).filter(({ trust }) => trust > 0)
    const shares = [yield* shareOf(withoutNames(answers), this.#policy.weighing)]
    const environments: EnvironmentScore[] = []
    for (const { layer, name } of below) {
      shares.push(yield* this.#averageBelow(heard, layer, name))
      for (const tag of [...new Set(heard.map(name))].sort())
        environments.push(yield* this.#environmentScore(layer, tag))
    }
    return { score: scoreOf(productOf(shares)), answers, environments }
  }

  *#averageBelow(
    answers: readonly SignerAnswer[],
    layer: LowerLayer,
    name: (answer: SignerAnswer) => string,
  ): Generator<void, Share> {
    let [earned, all] = [0n, 0n]
    for (const answer of answers) {
      yield
      const { score } = yield* this.#environmentScore(layer, name(answer))
      if (score === undefined && this.#policy.unknown === 'ignore') continue
      earned += BigInt(answer.count) * unitsOf(score ?? 0)
      all += BigInt(answer.count) * WHOLE
    }
    return all === 0n ? FULL_SHARE : { earned, all }
  }

  *#environmentScore(layer: LowerLayer, tag: string): Generator<void, EnvironmentScore> {
    const key = environmentKey({ layer, tag })
    const found = this.#environments.get(key)
    if (found && !this.#scores.has(key)) {
      const { score, answers } = yield* this.score(found.statements.filter((one) => one.layer === layer))
      // Leave the score unknown if no trusted signer has a statement about the build or machine.
      this.#scores.set(key, answers.some(([, { trust }]) => trust > 0) ? score : undefined)
    }
    const score = this.#scores.get(key)
    return { layer, tag, ...(score !== undefined && { score }) }
  }
}

export function withoutNames(answers: readonly NamedAnswer[]): SignerAnswer[] {
  return answers.map(([, answer]) => answer)
}

const BELOW_APP = [
  { layer: 'cicd', name: ({ tag }: SignerAnswer) => tag },
  { layer: 'os', name: ({ host }: SignerAnswer) => host },
] as const
const BELOW_OS = [{ layer: 'host', name: ({ tag }: SignerAnswer) => tag }] as const
const FULL_SHARE: Share = { earned: 1n, all: 1n }
