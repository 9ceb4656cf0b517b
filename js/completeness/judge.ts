import { assertNames } from '../base/options/names.js'
import { integer, readOptions, strict } from '../base/options/schema.js'
import { atOnce, inTurns } from '../base/time/steps.js'
import type { Codec } from '../codecs/codec.js'
import type { VerifiedBundle } from '../verify/options.js'
import { quorumMembers, readQuorumIfAny, type WitnessQuorum } from '../witness/options.js'
import { KnownSigners } from './known-signers.js'
import { leafOf } from './leaf.js'
import type { SignerReport } from './report.js'
import { Sightings, seenReport } from './sightings.js'
import type { VerifiedCheckpoint } from './verify-checkpoint.js'

/** Options of `completeness`. */
export interface CompletenessOptions extends Omit<WitnessQuorum, 'witnesses'> {
  /** Milliseconds by which the time of a message may differ from those of the checkpoints around it. Default 60,000. */
  readonly toleranceMs?: number | undefined
  /**
   * Public keys of witnesses, `name+id+key`: a signer is `'complete'` only if a quorum of them has seen the last checkpoint of each of its runs. The report then says
   * since when. Default: no witness is asked for.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
}

/** The page of limits shows it. */
export const schema = strict({ toleranceMs: integer(0, 86_400_000, 60_000), ...quorumMembers })

/**
 * Finds what was left out: add what you have verified, in any order and as often as you like, and ask it for a report. It takes about
 * 300 bytes of memory for each message.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { Completeness, isCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
 *
 * const completeness = new Completeness()
 * for (const message of messages) {
 *   if (isCheckpoint(message)) completeness.addCheckpoint(await verifyCheckpoint(message, { keyring }))
 *   else completeness.addMessage(message, await verifyBatch(message, { keyring }))
 * }
 * for (const { signer, verdict, missing } of completeness.report()) console.log(signer, verdict, missing)
 * ```
 */
export class Completeness {
  readonly #signers: KnownSigners
  readonly #sightings: Sightings | undefined

  constructor(options: CompletenessOptions = {}) {
    const { toleranceMs, witnesses, quorum } = readOptions(schema, options, 'completeness')
    this.#signers = new KnownSigners(toleranceMs)
    const reader = readQuorumIfAny({ witnesses, quorum }, 'completeness')
    this.#sightings = reader && new Sightings(reader)
  }

  /** A checkpoint that `verifyCheckpoint` has verified. */
  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    this.#signers.addCheckpoint(checkpoint)
    this.#sightings?.add(checkpoint)
  }

  /**
   * A message, and the bundles that `verifyMessage` or `verifyBatch` has verified in it: all that it has. Of a batch from which
   * bundles were taken out, the others are missing.
   *
   * @throws AlvariumError `MESSAGE_MALFORMED` when the message is none that has bundles
   */
  addMessage(
    message: Uint8Array,
    bundles: readonly VerifiedBundle[],
    options: { readonly codec?: Codec | undefined } = {},
  ): void {
    assertNames(options, ['codec'])
    const [first] = bundles
    if (first) this.#signers.addMessage(leafOf(message, first, options.codec), first, bundles)
  }

  /**
   * What is known now of each signer. It looks at everything: about 0.1 s for 100,000 messages, in which nothing else runs. A service takes
   * {@link reportInTurns}.
   */
  report(): SignerReport[] {
    return this.#signers.signers().map((signer) => this.#seen(atOnce(signer.report())))
  }

  /**
   * The same, and timers and sockets get their turn in between. It is a report of the moment at which it was asked for: what is added until it
   * settles is in the next one.
   */
  async reportInTurns(): Promise<SignerReport[]> {
    const begun = this.#signers.signers().map((signer) => signer.report())
    const reports: SignerReport[] = []
    for (const steps of begun) reports.push(this.#seen(await inTurns(steps)))
    return reports
  }

  #seen(report: SignerReport): SignerReport {
    return this.#sightings ? seenReport(report, this.#sightings) : report
  }
}
