import type { AlvariumError } from '../../foundation/base/errors.js'
import { Tally } from '../../foundation/base/time/tally.js'
import type { SigningRun, SigningRuns } from '../../signing/seal/log.js'
import { openSealer } from '../../signing/seal/open-sealer.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import { BATCH_OF_MANY, type SdkSettings } from '../config/options.js'
import { BatchedDelivery, type BatchLimits } from '../delivery/batched.js'
import type { Delivery, Publish } from '../delivery/delivery.js'
import { SingleDelivery } from '../delivery/single.js'

/** Open signing key: the `Sealer` that signs with it, and its log if the SDK signs checkpoints. */
export interface OpenedKey {
  readonly sealer: Sealer
  readonly run: SigningRun | undefined
}

/**
 * Opens the signing key in `settings`, signs its first lease, and begins its log.
 *
 * @param runs - logs of the SDK, if it signs checkpoints
 * @param ready - connects or checks all that the log needs. If it throws, the key is wiped
 * @throws AlvariumError as `openSealer` and `ready` do
 */
export async function openKey(
  settings: SdkSettings,
  runs: SigningRuns | undefined,
  ready: (sealer: Sealer) => Promise<void> | void,
): Promise<OpenedKey> {
  const run = runs?.next()
  const sealer = await openSealer({ ...settings, log: run })
  try {
    await ready(sealer)
    if (run && sealer.logSigner) await run.begin(sealer.logSigner, settings)
  } catch (error) {
    sealer.free()
    await sealer.end?.()
    throw error
  }
  return { sealer, run }
}

/** A signing key of an SDK: the `Sealer` that signs with it, its log, and its calls. */
export class SigningKey {
  readonly sealer: Sealer
  /** Count of calls that still wait for an annotator. */
  readonly asking = new Tally()
  readonly delivery: Delivery
  readonly #run: OpenedKey['run']
  readonly #publish: Publish
  /** Count of messages that the stream has neither accepted nor rejected, for a key with a log. */
  readonly #unanswered = new Tally()
  #batches: BatchedDelivery | undefined
  #finishing: Promise<void> | undefined
  #isWiped = false

  constructor({ sealer, run }: OpenedKey, publish: Publish, batch: BatchLimits | undefined) {
    this.sealer = sealer
    this.#run = run
    this.#publish = run ? this.#counting(publish) : publish
    if (batch) this.#batches = new BatchedDelivery(sealer, this.#publish, batch, run)
    this.delivery = this.#batches ?? new SingleDelivery(sealer, this.#publish, run)
  }

  /** Batches of all calls, or only of `createMany` if calls are not batched. */
  get batches(): BatchedDelivery {
    this.#batches ??= new BatchedDelivery(this.sealer, this.#publish, BATCH_OF_MANY, this.#run)
    return this.#batches
  }

  #counting(publish: Publish): Publish {
    return async (sealed) => {
      this.#unanswered.begin()
      try {
        return await publish(sealed)
      } finally {
        this.#unanswered.end()
      }
    }
  }

  async allSealed(): Promise<void> {
    await this.asking.none()
    await this.delivery.allSealed()
    await this.#batches?.allSealed()
  }

  /**
   * Waits until all calls are signed. For a key with a log, also waits until the stream has accepted or rejected
   * each message. Wipes a key without a log.
   */
  async drained(): Promise<void> {
    await this.allSealed()
    if (!this.#run) this.wipe()
    await this.#unanswered.none()
  }

  stop(reason: AlvariumError): void {
    this.delivery.end(reason)
    // This creates the batches of `createMany` if there are none yet, so that later calls of `createMany`
    // reject too.
    this.batches.end(reason)
  }

  /** Signs the last checkpoint and the last lease. */
  finish(): Promise<void> {
    this.#finishing ??= this.#finish()
    return this.#finishing
  }

  async #finish(): Promise<void> {
    await this.#run?.end()
    await this.sealer.end?.()
  }

  wipe(): void {
    if (this.#isWiped) return
    this.#isWiped = true
    this.sealer.free()
  }
}
