import { AlvariumError } from '../../base/errors.js'
import { shownUrl } from '../../base/schema.js'
import type { Link } from './link.js'
import type { ReceiveSettings } from './options.js'

/** Asks the broker for what a receiver wants, once for each connection. */
export class Subscribing {
  readonly #settings: Pick<ReceiveSettings, 'url' | 'qos' | 'connectTimeoutMs'>
  readonly #filters: string[]
  readonly #refused: (error: AlvariumError) => void
  #proven: (() => void) | undefined

  /** @param refused called when the broker does not let us subscribe: trying again would not change it */
  constructor(settings: ReceiveSettings, filters: string[], refused: (error: AlvariumError) => void) {
    this.#settings = settings
    this.#filters = filters
    this.#refused = refused
  }

  /**
   * A message has come. A broker may send messages before its SUBACK, which is then not read until the consumer takes them:
   * who waits for it before asking for messages would wait for ever. The message proves the subscription.
   */
  prove(): void {
    this.#proven?.()
  }

  /**
   * Resolves when the broker has the subscription.
   *
   * @param isProven whether a message has come on this link already
   * @throws AlvariumError `STREAM_UNREACHABLE` when the broker does not answer in time, or the link is lost
   */
  async ask(link: Link, isProven: boolean): Promise<void> {
    const { connectTimeoutMs } = this.#settings
    const late = new Error(`no answer within ${connectTimeoutMs} ms`)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(this.#unanswered(late)), connectTimeoutMs)
        link.lost.then((reason) => reject(this.#unanswered(reason)))
        this.#request(link, resolve)
        this.#proven = resolve
        if (isProven) resolve()
      })
    } finally {
      clearTimeout(timer)
      this.#proven = undefined
    }
  }

  #request({ client }: Link, resolve: () => void): void {
    // What was kept for whoever subscribes comes with a new subscription, not with one that the broker remembers.
    const options = { qos: this.#settings.qos, rh: 1 }
    client.subscribe(this.#filters, options, (error) => {
      if (!error) resolve()
      // An error without SUBACK is none of the broker's: the connection is ending, and `lost` says so.
      else if ((error as { packet?: unknown }).packet) this.#refused(this.#refusal(error))
    })
  }

  #refusal(cause: Error): AlvariumError {
    const filters = this.#filters.map((filter) => JSON.stringify(filter)).join(', ')
    const text = `topic: expected the broker to let us subscribe to ${filters}, got: ${cause.message}`
    return new AlvariumError('STREAM_REFUSED', text, { cause })
  }

  #unanswered(cause: Error): AlvariumError {
    const text = `mqtt: expected ${this.#settings.url.map(shownUrl).join(' or ')} to answer SUBSCRIBE, got: ${cause.message}`
    return new AlvariumError('STREAM_UNREACHABLE', text, { cause })
  }
}
