import { AlvariumError } from '../../base/errors.js'
import { shownUrl } from '../../base/schema.js'
import { overlapping } from './filters.js'
import type { Link } from './link.js'
import type { ReceiveSettings } from './options.js'

/** Asks the broker for what a receiver wants, once for each connection. */
export class Subscribing {
  readonly #settings: Pick<ReceiveSettings, 'url' | 'qos' | 'connectTimeoutMs'>
  readonly #filters: string[]
  readonly #refused: (error: AlvariumError) => void
  #proven: (() => void) | undefined
  /** SUBSCRIBE packets on their way. */
  #unanswered = 0

  /** @param refused called when the broker does not let us subscribe: trying again would not change it */
  constructor(settings: ReceiveSettings, filters: string[], refused: (error: AlvariumError) => void) {
    this.#settings = settings
    this.#filters = filters
    this.#refused = refused
  }

  /**
   * A message has come. A broker may send messages before its SUBACK, which is then not read until the consumer takes them:
   * who waits for it before asking for messages would wait for ever. The message proves the subscription, if there is one.
   *
   * @param isFull whether nothing more is read until the consumer takes messages
   */
  prove(isFull: boolean): void {
    if (isFull || this.#unanswered === 1) this.#proven?.()
  }

  /**
   * Resolves when the broker has the subscription.
   *
   * @param isProven whether a message has come on this link already
   * @param isFull see `prove`
   * @throws AlvariumError `STREAM_UNREACHABLE` when the broker does not answer in time, or the link is lost
   */
  async ask(link: Link, isProven: boolean, isFull: boolean): Promise<void> {
    const { connectTimeoutMs } = this.#settings
    const late = new Error(`no answer within ${connectTimeoutMs} ms`)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(this.#silent(late)), connectTimeoutMs)
        link.lost.then((reason) => reject(this.#silent(reason)))
        this.#request(link, resolve)
        this.#proven = resolve
        if (isProven) this.prove(isFull)
      })
    } finally {
      clearTimeout(timer)
      this.#proven = undefined
    }
  }

  #request(link: Link, resolve: () => void): void {
    const requests = link.hasSubscriptionIds ? identified(this.#filters) : [{ filters: this.#filters }]
    this.#unanswered = requests.length
    for (const { filters, properties } of requests) {
      // What was kept for whoever subscribes comes with a new subscription, not with one that the broker remembers.
      const options = { qos: this.#settings.qos, rh: 1 as const, ...(properties && { properties }) }
      link.client.subscribe(filters, options, (error) => {
        if (!error && --this.#unanswered === 0) resolve()
        // An error without SUBACK is none of the broker's: the connection is ending, and `lost` says so.
        if ((error as { packet?: unknown } | null)?.packet) this.#refused(this.#refusal(error as Error))
      })
    }
  }

  #refusal(cause: Error): AlvariumError {
    const filters = this.#filters.map((filter) => JSON.stringify(filter)).join(', ')
    const text = `topic: expected the broker to let us subscribe to ${filters}, got: ${cause.message}`
    return new AlvariumError('STREAM_REFUSED', text, { cause })
  }

  #silent(cause: Error): AlvariumError {
    const text = `mqtt: expected ${this.#settings.url.map(shownUrl).join(' or ')} to answer SUBSCRIBE, got: ${cause.message}`
    return new AlvariumError('STREAM_UNREACHABLE', text, { cause })
  }
}

interface Request {
  readonly filters: string[]
  readonly properties?: { readonly subscriptionIdentifier: number }
}

/** An identifier is for a whole SUBSCRIBE packet; only copies are told apart by it. See {@link Copies}. */
function identified(filters: readonly string[]): Request[] {
  const shared = overlapping(filters)
  const others = filters.filter((filter) => !shared.includes(filter))
  const requests = shared.map((filter, at) => ({
    filters: [filter],
    properties: { subscriptionIdentifier: at + 1 },
  }))
  return others.length > 0 ? [{ filters: others }, ...requests] : requests
}
