import { assertNames } from '../../foundation/base/options/names.js'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { runSync, runYielding } from '../../foundation/base/time/turns.js'
import type { Codec } from '../../transport/codecs/codec.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { quorumMembers, readQuorumIfAny, type WitnessQuorum } from '../witness/options.js'
import { leafOf } from './checkpoint/leaf.js'
import type { VerifiedCheckpoint } from './checkpoint/verify-checkpoint.js'
import { KnownSigners } from './known-signers.js'
import type { SignerReport } from './report.js'
import { Sightings, withSightings } from './sightings.js'

/** Settings of {@link Completeness}: the tolerance for clocks, and witnesses. */
export interface CompletenessOptions extends Omit<WitnessQuorum, 'witnesses'> {
  /**
   * Milliseconds by which a message's time may lie outside the times of the checkpoints before and after it.
   * Default 60,000.
   */
  readonly toleranceMs?: number | undefined
  /**
   * Public keys of witnesses, as `name+id+key`. A signer is then `'complete'` only if a quorum of witnesses
   * has seen the last checkpoint of each run (`witnessed` of the report). Default: no witnesses.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
}

/** Valibot schema of {@link CompletenessOptions}. The guide's page of limits is generated from it. */
export const schema = strict({ toleranceMs: integer(0, 86_400_000, 60_000), ...quorumMembers })

/**
 * Finds signed messages that were not received. Add verified messages and checkpoints in any order, and then
 * call `report`. Messages and checkpoints may be added repeatedly. Needs about 300 bytes of memory for each
 * message.
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

  /** Adds a checkpoint from `verifyCheckpoint`. The order of the calls does not matter. */
  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    this.#signers.addCheckpoint(checkpoint)
    this.#sightings?.add(checkpoint)
  }

  /**
   * Adds a message, and all bundles that `verifyMessage` or `verifyBatch` has verified in it. If bundles were
   * extracted from a batch, the other bundles of the batch count as missing.
   *
   * @throws AlvariumError `MESSAGE_MALFORMED` when `bundles` is not empty and the message contains no bundles
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
   * Returns a report about each signer. Blocks the event loop for about 0.1 s with 100,000 messages. In a
   * service, use {@link reportInTurns}.
   */
  report(): SignerReport[] {
    return this.#signers.signers().map((signer) => this.#seen(runSync(signer.report())))
  }

  /**
   * Returns a report about each signer, and yields to timers and sockets between steps. The report is a
   * snapshot of the messages and checkpoints: it does not contain later ones. Lines of witnesses in later
   * checkpoints may count.
   */
  async reportInTurns(): Promise<SignerReport[]> {
    const begun = this.#signers.signers().map((signer) => signer.report())
    const reports: SignerReport[] = []
    for (const steps of begun) reports.push(this.#seen(await runYielding(steps)))
    return reports
  }

  #seen(report: SignerReport): SignerReport {
    return this.#sightings ? withSightings(report, this.#sightings) : report
  }
}
