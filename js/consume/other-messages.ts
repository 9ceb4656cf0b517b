import { AlvariumError } from '../base/errors.js'
import { type IdentifiedClassic, verifyIfClassic } from '../classic/received.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import { isCheckpoint, isLease, isSet } from './beside.js'
import { isDeadLetter } from './dead-letter.js'
import type { TakesBeside } from './group.js'
import type { ConsumerUser } from './user.js'
import type { Watcher } from './watch.js'

/** What a message that has no bundles is. */
export type Otherwise = readonly IdentifiedClassic[] | 'passed over' | 'done' | BesideMail | AlvariumError

/** A lease or a checkpoint that somebody takes. */
export class BesideMail {
  constructor(readonly verified: object) {}
}

/** Reads messages that are no bundles: leases, checkpoints and sets, and those of the other SDKs. */
export class OtherMessages {
  readonly #user: ConsumerUser
  #taker: TakesBeside | undefined

  constructor(user: ConsumerUser) {
    this.#user = user
  }

  /** Leases and checkpoints are for somebody. */
  takenBy(taker: TakesBeside): void {
    this.#taker = taker
  }

  /** What is no bundle may be a checkpoint, a lease or a set: for who takes those, and nothing to anybody else. */
  async read(reason: AlvariumError, arrival: Arrival): Promise<Otherwise> {
    const { message } = arrival
    // Else a subscription that also receives its own dead letters would make one of each, without end.
    if (isSet(message) || isDeadLetter(message)) return 'passed over'
    const isNote = isCheckpoint(message)
    if (!isNote && !isLease(message)) return this.#classicOr(reason, arrival)
    const watcher = isNote ? this.#user.watcher : undefined
    const verified = await this.#besideOr(arrival, watcher)
    if (verified instanceof AlvariumError) return verified
    // Whoever cannot store it ends the loop: the broker has it still.
    if (watcher) await this.#user.onCheckpoint?.(message)
    if (typeof verified === 'object') return new BesideMail(verified)
    return watcher ? 'done' : 'passed over'
  }

  /** What the taker says of it, or why it does not verify. */
  async #besideOr(
    arrival: Arrival,
    watcher: Watcher | undefined,
  ): Promise<object | 'passed over' | AlvariumError | undefined> {
    const { trust, leases } = this.#user
    const trusted = { keyring: trust.keyring, leases: leases?.book }
    try {
      await watcher?.checkpoint(arrival, trusted)
      return await this.#taker?.verify(arrival, trusted)
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  }

  /** What is no bundle of ours may be classic, and nothing else may: so each message has one reading. */
  async #classicOr(
    reason: AlvariumError,
    { message, receivedAt }: Arrival,
  ): Promise<readonly IdentifiedClassic[] | 'passed over' | AlvariumError> {
    const { classic, trust, leases } = this.#user
    if (!classic || reason.code !== 'MESSAGE_MALFORMED') return reason
    try {
      const found = await verifyIfClassic(message, trust.keyring, classic, {
        receivedAt,
        leases: leases?.book,
      })
      if (found === 'passed over') return found
      return found ? [found] : reason
    } catch (error) {
      if (error instanceof AlvariumError) return error
      throw error
    }
  }
}
