import { unlessAborted } from '../base/abort.js'
import type { Latency } from '../base/latency.js'
import { Tally } from '../base/tally.js'
import type { Call } from '../model/call.js'
import type { Sealer } from '../seal/sealer.js'
import type { Delivery, Publish } from './delivery.js'
import { Receipt, type Sent } from './receipt.js'

/** A message and a signature for each call. */
export class SingleDelivery implements Delivery {
  readonly #sealer: Sealer
  readonly #publish: Publish
  readonly #sealing: Latency
  readonly #signing = new Tally()

  constructor(sealer: Sealer, publish: Publish, sealing: Latency) {
    this.#sealer = sealer
    this.#publish = publish
    this.#sealing = sealing
  }

  async deliver(call: Call, signal: AbortSignal | undefined): Promise<Receipt> {
    const since = performance.now()
    const sealed = this.#sealer.seal(call)
    if (!('then' in sealed)) this.#sealing.record(performance.now() - since)
    if (!('then' in sealed)) return new Receipt(await unlessAborted(this.#publish(sealed, signal), signal))
    let accepted: Promise<Sent>
    this.#signing.begin()
    try {
      const message = await unlessAborted(sealed, signal)
      this.#sealing.record(performance.now() - since)
      accepted = this.#publish(message, signal)
    } finally {
      this.#signing.end()
    }
    return new Receipt(await unlessAborted(accepted, signal))
  }

  handedOver(): Promise<void> {
    return this.#signing.none()
  }
}
