import { verifyTurns } from '../base/time/turns.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import { Confidence, type PayloadName } from '../judge/confidence.js'
import { percentOf, type ScorePolicy } from '../judge/score.js'
import type { VerifiedBundle } from '../verify/options.js'
import { digestOf } from './digest.js'
import { canonicalBytes } from './json.js'

/** Payloads that are scored between two turns. */
const TOGETHER = 256

/** What was said of payloads, and how far they can be trusted. */
export class PackScores {
  readonly confidence: Confidence
  /** SHA-256 of the policy. */
  readonly policy: string
  #satisfied = 0
  #notSatisfied = 0
  #bundles = 0

  /** @throws AlvariumError `CONFIG_INVALID` */
  constructor(policy: ScorePolicy) {
    this.confidence = new Confidence(policy)
    this.policy = digestOf(canonicalBytes(policy))
  }

  get bundles(): number {
    return this.#bundles
  }

  get annotations() {
    return { satisfied: this.#satisfied, notSatisfied: this.#notSatisfied }
  }

  add(bundle: VerifiedBundle): void {
    if (!this.confidence.add(bundle)) return
    this.#bundles++
    for (const { isSatisfied } of bundle.annotations) this.#count(isSatisfied)
  }

  addClassic(message: ClassicMessage): void {
    this.confidence.addClassic(message)
    for (const one of message.annotations) if (one.status === 'fulfilled') this.#count(one.value.isSatisfied)
  }

  #count(isSatisfied: boolean): void {
    if (isSatisfied) this.#satisfied++
    else this.#notSatisfied++
  }

  /** From 0 to 10,000, rounded down: only what is whole is 10,000. */
  of(payload: PayloadName): number {
    return Math.floor(percentOf(100 * this.confidence.score(payload)))
  }

  /** How many payloads there are, and the lowest score of one. */
  async lowest(): Promise<{ payloads: number; score: number }> {
    let [payloads, score] = [0, 10_000]
    for (const payload of this.confidence.payloads()) {
      if (payloads++ % TOGETHER === 0) await verifyTurns.take()
      score = Math.min(score, this.of(payload))
    }
    return { payloads, score: payloads === 0 ? 0 : score }
  }
}
