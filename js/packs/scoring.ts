import { expected } from '../base/errors.js'
import { inTurns } from '../base/time/steps.js'
import { verifyTurns } from '../base/time/turns.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import { Fabric } from '../judge/fabric.js'
import { OwnScores } from '../judge/own.js'
import type { PayloadName } from '../judge/payload-name.js'
import { type JudgingPolicy, type JudgingPolicyFile, readPolicy } from '../judge/policy.js'
import { type Score, togetherSteps } from '../judge/verdict.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { PackSubject } from './subject.js'

/** More nobody looks into. */
const MOST_LOWEST = 10
/** With more, a score is unknown (FORMAT.md, Packs). */
export const MOST_ANCESTORS = 100_000

/**
 * A judging policy that a pack may have: with `layers: 'stack'`, a score depends on what came last, and the messages of a pack have no order.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function readPackPolicy(given: string | JudgingPolicyFile): JudgingPolicy {
  const policy = readPolicy(given)
  if (policy.layers === 'own') return policy
  throw expected('CONFIG_INVALID', 'score.layers', 'own, as messages of a pack have no order', policy.layers)
}

/** What was said of payloads, and how far they can be trusted. */
export class PackScores {
  readonly fabric = new Fabric()
  readonly policy: JudgingPolicy
  /** Those that score lowest, the lowest first, as {@link scored} finds them; none of a pack about one payload. */
  readonly worst: (PayloadName & { readonly score: number })[] = []
  #satisfied = 0
  #notSatisfied = 0
  #bundles = 0

  constructor(policy: JudgingPolicy) {
    this.policy = policy
  }

  get bundles(): number {
    return this.#bundles
  }

  get annotations() {
    return { satisfied: this.#satisfied, notSatisfied: this.#notSatisfied }
  }

  /** Returns whether it is new. */
  add(bundle: VerifiedBundle): boolean {
    if (!this.fabric.add(bundle)) return false
    this.#bundles++
    for (const { isSatisfied } of bundle.annotations) this.#count(isSatisfied)
    return true
  }

  addClassic(message: ClassicMessage): void {
    this.fabric.addClassic(message)
    for (const one of message.annotations) if (one.status === 'fulfilled') this.#count(one.value.isSatisfied)
  }

  #count(isSatisfied: boolean): void {
    if (isSatisfied) this.#satisfied++
    else this.#notSatisfied++
  }

  /** How many payloads there are, and the score of the one that the pack is about, or else the lowest of all. */
  async scored(about: PackSubject): Promise<{ payloads: number; score: Score }> {
    const only = 'payload' in about ? about.payload : undefined
    let payloads = 0
    const own = new OwnScores(this.policy, [])
    for (const payload of this.fabric.payloads()) {
      const turn = verifyTurns.takeLong()
      if (turn) await turn
      payloads++
      // What they were made from is among them, so each by what was said of itself.
      if (only) continue
      const { score } = await inTurns(own.of(this.fabric.statements(payload)))
      this.#keepIfLow(payload, score)
    }
    return { payloads, score: only ? await this.#of(only) : (this.worst[0]?.score ?? 0) }
  }

  /** Of a payload, and what it was made from. */
  async #of(payload: PayloadName): Promise<Score> {
    const own = new OwnScores(this.policy, [])
    const scores: number[] = []
    let isKnown = true
    for (const one of this.fabric.lineageSteps(payload)) {
      const turn = verifyTurns.takeLong()
      if (turn) await turn
      if (!one) continue
      const { statements, gap } = one
      scores.push((await inTurns(own.of(statements))).score)
      if (this.policy.ancestors === 'own') break
      // Which of too many were looked at depends on the order of the messages.
      if (scores.length > MOST_ANCESTORS + 1) return 'unknown'
      isKnown &&= gap === undefined
    }
    const score = await inTurns(togetherSteps(scores, this.policy))
    // What is 0 already cannot turn out to be less.
    return isKnown || score === 0 ? score : 'unknown'
  }

  #keepIfLow(payload: PayloadName, score: number): void {
    const { length } = this.worst
    if (length === MOST_LOWEST && score >= (this.worst[length - 1]?.score ?? 0)) return
    this.worst.push({ ...payload, score })
    this.worst.sort((one, other) => one.score - other.score)
    this.worst.splice(MOST_LOWEST)
  }
}
