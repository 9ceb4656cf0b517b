import { unlessAborted } from '../abort.js'
import { Receipt } from '../receipt.js'
import type { Call, Sealer } from '../sealer.js'
import type { Delivery, Publish } from './delivery.js'
import { Tally } from './tally.js'

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
    if ('then' in sealed) return this.#later(sealed, signal)
    await unlessAborted(this.#publish(sealed, signal), signal)
    return new Receipt(sealed)
  }

  handedOver(): Promise<void> {
    return this.#signing.none()
  }

  async #later(sealed: Promise<Uint8Array>, signal: AbortSignal | undefined): Promise<Receipt> {
    let message: Uint8Array
    let accepted: Promise<void>
    this.#signing.begin()
    try {
      message = await unlessAborted(sealed, signal)
      accepted = this.#publish(message, signal)
    } finally {
      this.#signing.end()
    }
    await unlessAborted(accepted, signal)
    return new Receipt(message)
  }
}
