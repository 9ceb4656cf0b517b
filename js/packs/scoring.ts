import { verifyTurns } from '../base/time/turns.js'
import type { ClassicMessage } from '../classic/verify-classic.js'
import { Confidence, type PayloadName } from '../judge/confidence.js'
import type { ScorePolicy } from '../judge/score.js'
import type { VerifiedBundle } from '../verify/options.js'
import { digestOf } from './digest.js'
import { canonicalBytes } from './json.js'

const MILLION = 1_000_000n
/** Payloads that are scored between two turns. */
const TOGETHER = 256

/** What was said of payloads, and how far they can be trusted. */
export class PackScores {
  readonly confidence: Confidence
  /** SHA-256 of the policy. */
  readonly policy: string
  readonly #required: readonly string[]
  /** In millionths. */
  readonly #weights: ReadonlyMap<string, bigint>
  #satisfied = 0
  #notSatisfied = 0
  #bundles = 0

  /** @throws AlvariumError `CONFIG_INVALID` */
  constructor(policy: ScorePolicy) {
    this.confidence = new Confidence(policy)
    this.policy = digestOf(canonicalBytes(policy))
    this.#required = [...(policy.required ?? [])]
    const weights = Object.entries(policy.weights ?? {})
    this.#weights = new Map(weights.map(([kind, weight]) => [kind, BigInt(Math.round(1e6 * weight))]))
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

  /** From 0 to 10,000, by exact numbers and rounded down: only what is whole is 10,000. */
  of(payload: PayloadName): number {
    const { answers } = this.confidence.of(payload)
    if (this.#required.some((kind) => answers.get(kind)?.no !== 0)) return 0
    let [satisfied, all] = [0n, 0n]
    for (const [kind, { yes, no }] of answers) {
      const weight = this.#weights.get(kind) ?? MILLION
      satisfied += weight * BigInt(yes)
      all += weight * BigInt(yes + no)
    }
    return all === 0n ? 0 : Number((10_000n * satisfied) / all)
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
