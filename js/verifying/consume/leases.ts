import { type AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { leaseTrustOf } from '../../signing/keys/lease-options.js'
import type { LeaseBook } from '../../signing/keys/trust-policy.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import { claimantOf } from '../verify/large.js'
import { type VerifyOptions, withTrusted } from '../verify/options.js'
import { decodeToJson } from '../verify/readable.js'
import { isLease, signerOfCheckpoint } from './control-messages.js'
import { type BrokerWindow, ParkedMessages } from './parked-messages.js'

export interface LeaseContext {
  readonly trust: Pick<VerifyOptions, 'codec' | 'keyring'>
  readonly window: () => BrokerWindow
  readonly logger: Logger
  readonly onLease: ((lease: Uint8Array) => unknown) | undefined
  readonly known: readonly Uint8Array[]
  /** True if checkpoints are verified too. A message in a verified log can be valid after the end of its lease. */
  readonly hasLogs: boolean
}

interface ArrivalSource {
  take(): Promise<readonly ReceivedMessage[]>
}

type Reject = (arrival: ReceivedMessage, error: AlvariumError) => Promise<void>

/** Separates leases from other received messages. Parks bundles that arrived before their leases. */
export class LeaseIntake {
  readonly #context: LeaseContext
  readonly #parked: ParkedMessages
  #book: LeaseBook | undefined
  #taking: Promise<readonly ReceivedMessage[]> | undefined
  #isPassingOn = false

  constructor(context: LeaseContext) {
    this.#context = context
    this.#parked = new ParkedMessages(context.window)
  }

  get book(): LeaseBook | undefined {
    return this.#book
  }

  /** Makes `take()` return leases too. The caller of `take()` then acknowledges them. */
  deliverLeases(): void {
    this.#isPassingOn = true
  }

  async begin(): Promise<void> {
    for (const [at, lease] of this.#context.known.entries()) {
      try {
        await this.#keep(lease, undefined)
      } catch (err) {
        if (!isVerdict(err)) throw err
        this.#context.logger.warn({ err }, `leases.known[${at}]: expected a lease that can be used`)
      }
    }
  }

  /**
   * Returns received messages, and parked messages that a lease now permits or whose wait has ended. Omits
   * leases, unless {@link deliverLeases} was called.
   */
  async take(source: ArrivalSource, reject: Reject): Promise<readonly ReceivedMessage[]> {
    for (;;) {
      const proved = (this.#book?.takeNewlyProvedKeys() ?? []).flatMap((keyId) => this.#parked.release(keyId))
      if (proved.length > 0) return proved
      const arrivals = await this.#next(source)
      const ready: ReceivedMessage[] = []
      for (const arrival of arrivals ?? []) {
        const turn = verifyTurns.yieldIfDue()
        if (turn) await turn
        if (isLease(arrival.message)) ready.push(...(await this.#takeLease(arrival, reject)))
        else ready.push(arrival)
      }
      ready.push(...this.#parked.due())
      if (ready.length > 0 || arrivals?.length === 0) return ready
    }
  }

  /**
   * Parks a message of an unknown signer until a lease arrives. Also parks a message whose leased key has
   * expired or is revoked: a lease can still make the message valid, if it has the size and root of a log
   * with the message. Returns whether the message is parked.
   */
  async park(arrival: ReceivedMessage, { code }: AlvariumError): Promise<boolean> {
    const hasLogs = this.#context.hasLogs || this.#isPassingOn
    const isLate = hasLogs && (code === 'SIGNER_EXPIRED' || code === 'SIGNER_REVOKED')
    if (!isLate && code !== 'SIGNER_UNKNOWN') return false
    if (!this.#parked.canPark(arrival)) return false
    const signer = await this.#signerOf(arrival.message)
    if (signer === undefined || (isLate && !this.#book?.isLeased(signer))) return false
    return this.#parked.add(arrival, signer)
  }

  async #signerOf(message: Uint8Array): Promise<string | undefined> {
    const { keyring, codec } = this.#context.trust
    const signer = signerOfCheckpoint(message)
    if (signer !== undefined) return signer
    try {
      const text = decodeToJson(message, codec)
      return await withTrusted({ keyring }, (trusting) => claimantOf(trusting.keyring, text))
    } catch (error) {
      if (isVerdict(error)) return undefined
      throw error
    }
  }

  close(): void {
    this.#book?.close()
  }

  /** Returns the next messages of a source, or undefined if the wait of a parked message ends first. */
  async #next(source: ArrivalSource): Promise<readonly ReceivedMessage[] | undefined> {
    this.#taking ??= source.take()
    const { leftMs } = this.#parked
    const arrivals = leftMs === undefined ? await this.#taking : await within(this.#taking, leftMs)
    if (arrivals === TOO_LATE) return undefined
    this.#taking = undefined
    return arrivals
  }

  /** Reads a lease. Returns the messages that waited for it, and the lease itself if `take()` returns leases too. */
  async #takeLease(arrival: ReceivedMessage, reject: Reject): Promise<ReceivedMessage[]> {
    const { message } = arrival
    let keyId: string | undefined
    try {
      keyId = await this.#keep(message, arrival.receivedAt)
    } catch (error) {
      if (!isVerdict(error)) throw error
      await reject(arrival, error)
      return []
    }
    if (keyId !== undefined) await this.#context.onLease?.(message)
    const released = keyId === undefined ? [] : this.#parked.release(keyId)
    // Return a known lease too: if it was redelivered, the application may not have stored it before.
    if (this.#isPassingOn) return [arrival, ...released]
    arrival.ack()
    return released
  }

  #keep(lease: Uint8Array, receivedAt: number | undefined): Promise<string | undefined> {
    return withTrusted(this.#context.trust, (trusting) => {
      const leases = leaseTrustOf(trusting)
      this.#book ??= leases.newBook()
      return leases.addLease(lease, this.#book, receivedAt)
    })
  }
}
