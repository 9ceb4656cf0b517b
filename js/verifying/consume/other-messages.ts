import { AlvariumError } from '../../foundation/base/errors.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import { type IdentifiedClassic, verifyIfClassic } from '../classic/received.js'
import { isCheckpoint, isLease, isSet } from './control-messages.js'
import { isDeadLetter } from './dead-letter.js'
import type { ControlVerifier } from './group.js'
import type { ConsumerContext } from './user.js'
import type { Watcher } from './watch.js'

export type NonBundle = readonly IdentifiedClassic[] | 'skipped' | 'done' | ControlMessage | AlvariumError

export class ControlMessage {
  constructor(readonly verified: object) {}
}

/** Reads messages that are not bundles: leases, checkpoints, sets, and classic messages. */
export class OtherMessages {
  readonly #context: ConsumerContext
  /** Verifier of leases and checkpoints, which are otherwise not delivered. */
  verifier: ControlVerifier | undefined

  constructor(context: ConsumerContext) {
    this.#context = context
  }

  /**
   * Passes a checkpoint to the watcher and a checkpoint or lease to the verifier, if there are any. Verifies a classic
   * message. Skips sets and dead letters.
   */
  async read(reason: AlvariumError, arrival: ReceivedMessage): Promise<NonBundle> {
    const { message } = arrival
    // Skip dead letters, because a subscription to its own dead letters would publish new ones endlessly.
    if (isSet(message) || isDeadLetter(message)) return 'skipped'
    const isNote = isCheckpoint(message)
    if (!isNote && !isLease(message)) return this.#verifyClassic(reason, arrival)
    const watcher = isNote ? this.#context.watcher : undefined
    const verified = await this.#verifyControl(arrival, watcher)
    if (verified instanceof AlvariumError) return verified
    // Let an exception end the loop, because the broker still has the checkpoint.
    if (watcher) await this.#context.onCheckpoint?.(message)
    if (typeof verified === 'object') return new ControlMessage(verified)
    return watcher ? 'done' : 'skipped'
  }

  async #verifyControl(
    arrival: ReceivedMessage,
    watcher: Watcher | undefined,
  ): Promise<object | 'skipped' | AlvariumError | undefined> {
    const { trust, leases } = this.#context
    const trusted = { keyring: trust.keyring, leases: leases?.book }
    try {
      await watcher?.addCheckpoint(arrival, trusted)
      return await this.verifier?.verify(arrival, trusted)
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  }

  /** Reads a message as classic only if it is not a bundle, so that a message cannot have two meanings. */
  async #verifyClassic(
    reason: AlvariumError,
    { message, receivedAt }: ReceivedMessage,
  ): Promise<readonly IdentifiedClassic[] | 'skipped' | AlvariumError> {
    const { classic, trust, leases } = this.#context
    if (!classic || reason.code !== 'MESSAGE_MALFORMED') return reason
    try {
      const found = await verifyIfClassic(message, trust.keyring, classic, {
        receivedAt,
        leases: leases?.book,
      })
      if (found === 'skipped') return found
      return found ? [found] : reason
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  }
}
