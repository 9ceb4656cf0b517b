import { expected } from '../../foundation/base/errors.js'
import { runYielding, verifyTurns } from '../../foundation/base/time/turns.js'
import type { ClassicMessage } from '../../verifying/classic/verify-classic.js'
import { BundleGraph } from '../../verifying/score/bundle-graph.js'
import { OwnScorer } from '../../verifying/score/own-score.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import { readPolicy, type ScoringPolicy, type ScoringPolicyFile } from '../../verifying/score/policy.js'
import { combineScores, type Score } from '../../verifying/score/verdict.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import type { PackSubject } from './subject.js'

const MAX_LOWEST = 10
/** Maximum number of ancestors of a scored payload. Beyond it, the score is `unknown` (FORMAT.md, Packs). */
export const MAX_ANCESTORS = 100_000

/**
 * Parses a scoring policy for a pack. Refuses `layers: 'stack'`, because scores would depend on the latest messages,
 * and messages of a pack have no order.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function readPackPolicy(given: string | ScoringPolicyFile): ScoringPolicy {
  const policy = readPolicy(given)
  if (policy.layers === 'own') return policy
  const expectation = '"own" (the messages of a pack have no order)'
  throw expected('CONFIG_INVALID', 'score.layers', expectation, `"${policy.layers}"`)
}

export class PackScores {
  readonly fabric = new BundleGraph()
  readonly policy: ScoringPolicy
  /** Payloads with the lowest scores, ascending. Empty before `scoreOf`, and for a pack about one payload. */
  readonly lowestScores: (PayloadName & { readonly score: number })[] = []
  /** Number of different bundles. */
  bundles = 0
  readonly annotations = { satisfied: 0, notSatisfied: 0 }

  constructor(policy: ScoringPolicy) {
    this.policy = policy
  }

  /** Adds a bundle, and returns false if it was added before. */
  add(bundle: VerifiedBundle): boolean {
    if (!this.fabric.add(bundle)) return false
    this.bundles++
    for (const { isSatisfied } of bundle.annotations) this.#count(isSatisfied)
    return true
  }

  addClassic(message: ClassicMessage): void {
    this.fabric.addClassic(message)
    for (const one of message.annotations) if (one.status === 'fulfilled') this.#count(one.value.isSatisfied)
  }

  #count(isSatisfied: boolean): void {
    this.annotations[isSatisfied ? 'satisfied' : 'notSatisfied']++
  }

  /** Returns the number of payloads, and a score: of the payload in `about`, or else the lowest. */
  async scoreOf(about: PackSubject): Promise<{ payloads: number; score: Score }> {
    const only = 'payload' in about ? about.payload : undefined
    let payloads = 0
    const scorer = new OwnScorer(this.policy, [])
    for (const payload of this.fabric.payloads()) {
      const turn = verifyTurns.yieldIfDueLong()
      if (turn) await turn
      payloads++
      // For a pack about one payload, only count the payloads here, and score that payload below. Otherwise
      // score each payload without its ancestors, because this loop also visits the ancestors.
      if (only) continue
      const { score } = await runYielding(scorer.score(this.fabric.statements(payload)))
      this.#keepIfLow(payload, score)
    }
    return { payloads, score: only ? await this.#scoreOf(only) : (this.lowestScores[0]?.score ?? 0) }
  }

  /** Returns the score of a payload, including its ancestors. */
  async #scoreOf(payload: PayloadName): Promise<Score> {
    const scorer = new OwnScorer(this.policy, [])
    const scores: number[] = []
    let isKnown = true
    for (const one of this.fabric.lineageSteps(payload)) {
      const turn = verifyTurns.yieldIfDueLong()
      if (turn) await turn
      if (!one) continue
      const { statements, gap } = one
      scores.push((await runYielding(scorer.score(statements))).score)
      if (this.policy.ancestors === 'own') break
      // Give up, because the order of the messages would decide which ancestors are within the limit.
      if (scores.length > MAX_ANCESTORS + 1) return 'unknown'
      isKnown &&= gap === undefined
    }
    const score = await runYielding(combineScores(scores, this.policy))
    // A score of 0 is final, because unknown ancestors cannot lower it.
    return isKnown || score === 0 ? score : 'unknown'
  }

  #keepIfLow(payload: PayloadName, score: number): void {
    const { length } = this.lowestScores
    if (length === MAX_LOWEST && score >= (this.lowestScores[length - 1]?.score ?? 0)) return
    this.lowestScores.push({ ...payload, score })
    this.lowestScores.sort((one, other) => one.score - other.score)
    this.lowestScores.splice(MAX_LOWEST)
  }
}
