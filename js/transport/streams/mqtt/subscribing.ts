import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { shownUrl } from '../../../foundation/base/options/schema.js'
import { isRandom } from './client-id.js'
import { overlapping } from './filters.js'
import { whyNotSubscribable } from './grants.js'
import type { Link } from './link.js'
import type { ReceiveSettings } from './options.js'
import { describeReason, isPermanentRefusal, type ReasonCode, ReasonError, reasonBy } from './reasons.js'
import { describeRival } from './reconnection.js'

/** Subscription of a receiver at the broker, renewed for each connection. */
export class Subscriber {
  readonly #settings: ReceiveSettings
  readonly #filters: string[]
  readonly #logger: Logger
  readonly #onRefusal: (error: AlvariumError) => void
  #confirm: (() => void) | undefined
  #unanswered = 0

  constructor(
    settings: ReceiveSettings,
    filters: string[],
    logger: Logger,
    onRefusal: (error: AlvariumError) => void,
  ) {
    this.#settings = settings
    this.#filters = filters
    this.#logger = logger
    this.#onRefusal = onRefusal
  }

  /**
   * Counts a received message as proof of the subscription if only one SUBACK is missing, or the inbox is
   * full. A broker may send messages before SUBACK. While they fill the inbox, SUBACK is not read, so a
   * caller that waited for SUBACK before taking messages would wait forever.
   */
  confirmByMessage(isFull: boolean): void {
    if (isFull || this.#unanswered === 1) this.#confirm?.()
  }

  /**
   * Resolves when the broker has the subscription.
   *
   * @param hasReceived - true if a message has already arrived on this link
   * @param isFull - true if the inbox is full, see {@link confirmByMessage}
   * @throws AlvariumError `STREAM_REFUSED`; `STREAM_UNAVAILABLE` if the broker does not let us subscribe now;
   * `STREAM_UNREACHABLE` if the broker does not answer in time, or the link is lost
   */
  async subscribe(link: Link, hasReceived: boolean, isFull: boolean): Promise<void> {
    const { connectTimeoutMs } = this.#settings
    const late = new Error(`no answer within ${connectTimeoutMs} ms`)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (error: AlvariumError) => {
          if (error.code === 'STREAM_REFUSED') this.#onRefusal(error)
          reject(error)
          // Drop the link too, because `reject` has no effect after `confirmByMessage`.
          link.drop(error)
        }
        const impossible = whyNotSubscribable(link, this.#settings, this.#logger)
        if (impossible) return fail(impossible)
        timer = setTimeout(() => reject(this.#unreachableError(late)), connectTimeoutMs)
        link.lost.then((reason) => reject(this.#lossError(reason)))
        this.#request(link, resolve, fail)
        this.#confirm = resolve
        if (hasReceived) this.confirmByMessage(isFull)
      })
    } finally {
      clearTimeout(timer)
      this.#confirm = undefined
    }
  }

  #request(link: Link, resolve: () => void, fail: (error: AlvariumError) => void): void {
    const requests = link.hasSubscriptionIds ? requestsFor(this.#filters) : [{ filters: this.#filters }]
    this.#unanswered = requests.length
    for (const { filters, properties } of requests) {
      // Request retained messages only for a new subscription (Retain Handling 1: MQTT 5, 3.8.3.1).
      const options = { qos: this.#settings.qos, rh: 1 as const, ...(properties && { properties }) }
      link.client.subscribe(filters, options, (error, _grants, packet) => {
        // Without SUBACK, the connection is ending, and `lost` has the reason.
        const fault = packet && this.#faultOf(filters, packet.granted as number[])
        if (fault) fail(fault)
        else if (!error && --this.#unanswered === 0) resolve()
      })
    }
  }

  /** Returns an error if the broker granted less than requested. `granted` has a code for each filter. */
  #faultOf(filters: readonly string[], granted: readonly number[]): AlvariumError | undefined {
    const { qos } = this.#settings
    const answers = filters.map((filter, at) => ({ filter, code: granted[at] ?? qos }))
    const refused = answers.filter(({ code }) => code >= 0x80)
    if (refused.length > 0)
      return refusalError(refused.map(({ filter, code }) => ({ filter, reason: reasonBy(code) })))
    const less = answers.find(({ code }) => code < qos)
    if (!less) return undefined
    const limit = `at most ${less.code}, which this broker grants for ${JSON.stringify(less.filter)}`
    const got = `${qos}, with which messages could be lost unnoticed: change qos, or the broker's settings`
    return expected('STREAM_REFUSED', 'qos', limit, got)
  }

  #lossError(cause: Error): AlvariumError {
    if (!(cause instanceof ReasonError)) return this.#unreachableError(this.#explain(cause))
    if (!isPermanentRefusal(cause.reason, 'subscription')) return this.#unreachableError(cause)
    const error = refusalError(this.#filters.map((filter) => ({ filter, reason: cause.reason })))
    this.#onRefusal(error)
    return error
  }

  /**
   * Adds that another client may have our id, because brokers of MQTT 3.1.1, and Mosquitto 2.0.11, do not
   * report it.
   */
  #explain(cause: Error): Error {
    const { clientId } = this.#settings
    if (isRandom(clientId)) return cause
    return new Error(`${cause.message}; ${describeRival(clientId, 'may use')}`, { cause })
  }

  #unreachableError(cause: Error): AlvariumError {
    const answer = `${this.#settings.url.map(shownUrl).join(' or ')} to answer SUBSCRIBE`
    return expected('STREAM_UNREACHABLE', 'mqtt', answer, undefined, cause)
  }
}

/** Returns a `STREAM_REFUSED` error if a filter is refused permanently, otherwise `STREAM_UNAVAILABLE`. */
function refusalError(refused: readonly { filter: string; reason: ReasonCode }[]): AlvariumError {
  const code = refused.some(({ reason }) => isPermanentRefusal(reason, 'subscription'))
    ? 'STREAM_REFUSED'
    : 'STREAM_UNAVAILABLE'
  const got = refused.map(({ filter, reason }) => `${describeReason(reason)} for ${JSON.stringify(filter)}`)
  return expected(code, 'topic', 'the broker to accept the subscription', got.join(', '))
}

interface SubscribeRequest {
  readonly filters: string[]
  readonly properties?: { readonly subscriptionIdentifier: number }
}

/**
 * Returns a request for each overlapping filter, whose identifier `CopyDetector` needs, and one for all
 * others.
 */
function requestsFor(filters: readonly string[]): SubscribeRequest[] {
  const shared = overlapping(filters)
  const others = filters.filter((filter) => !shared.includes(filter))
  const requests = shared.map((filter, at) => ({
    filters: [filter],
    properties: { subscriptionIdentifier: at + 1 },
  }))
  return others.length > 0 ? [{ filters: others }, ...requests] : requests
}
