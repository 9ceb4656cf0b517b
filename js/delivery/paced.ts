import { unlessAborted } from '../base/abort.js'
import type { AlvariumError } from '../base/errors.js'
import { Tally } from '../base/tally.js'
import type { Turns } from '../base/turns.js'
import type { Call } from '../model/call.js'
import type { Delivery } from './delivery.js'
import type { Place } from './places.js'
import type { Receipt } from './receipt.js'

/** Delivers calls in their order, but no more of them in a turn of the event loop than it has time for. */
export class PacedDelivery implements Delivery {
  readonly #delivery: Delivery
  readonly #turns: Turns
  readonly #waiting = new Tally()

  constructor(delivery: Delivery, turns: Turns) {
    this.#delivery = delivery
    this.#turns = turns
  }

  deliver(call: Call, signal: AbortSignal | undefined, place: Place): Promise<Receipt> {
    if (!this.#turns.isOver) return this.#delivery.deliver(call, signal, place)
    this.#waiting.begin()
    const delivered = new Promise<Receipt>((resolve, reject) => {
      this.#turns.later(() => {
        if (signal?.aborted) reject(signal.reason)
        else resolve(this.#delivery.deliver(call, signal, place))
        this.#waiting.end()
      })
    })
    return unlessAborted(delivered, signal)
  }

  async handedOver(): Promise<void> {
    await this.#waiting.none()
    await this.#delivery.handedOver()
  }

  end(error: AlvariumError): void {
    this.#delivery.end(error)
  }
}
