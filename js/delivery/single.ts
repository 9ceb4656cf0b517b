import { unlessAborted } from '../base/abort.js'
import { Tally } from '../base/tally.js'
import type { Call } from '../model/call.js'
import type { Sealer } from '../seal/sealer.js'
import type { Delivery, Publish } from './delivery.js'
import { Receipt, type Sent } from './receipt.js'

/** A message and a signature for each call. */
export class SingleDelivery implements Delivery {
  readonly #sealer: Sealer
  readonly #publish: Publish
  readonly #signing = new Tally()

  constructor(sealer: Sealer, publish: Publish) {
    this.#sealer = sealer
    this.#publish = publish
  }

  async deliver(call: Call, signal: AbortSignal | undefined): Promise<Receipt> {
    const sealed = this.#sealer.seal(call)
    if (!('then' in sealed)) return new Receipt(await unlessAborted(this.#publish(sealed, signal), signal))
    let accepted: Promise<Sent>
    this.#signing.begin()
    try {
      accepted = this.#publish(await unlessAborted(sealed, signal), signal)
    } finally {
      this.#signing.end()
    }
    return new Receipt(await unlessAborted(accepted, signal))
  }

  handedOver(): Promise<void> {
    return this.#signing.none()
  }
}
