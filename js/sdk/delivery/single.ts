import type { AlvariumError } from '../../foundation/base/errors.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { Tally } from '../../foundation/base/time/tally.js'
import type { Call, CallInputs } from '../../foundation/model/call.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import type { Slot } from './backpressure.js'
import type { Delivery, OutcomeListener, Publish } from './delivery.js'
import { Receipt, type Sent } from './receipt.js'

const NONE: readonly CallInputs[] = []

/** Delivery of each call with its own message and signature. */
export class SingleDelivery implements Delivery {
  readonly #sealer: Sealer
  readonly #publish: Publish
  readonly #outcomes: OutcomeListener | undefined
  readonly #signing = new Tally()
  #ended: AlvariumError | undefined

  /**
   * @param outcomes - log of the signing key, which records whether the stream accepted each message. A
   *   message whose call was canceled before it was signed is recorded as refused
   */
  constructor(sealer: Sealer, publish: Publish, outcomes?: OutcomeListener) {
    this.#sealer = sealer
    this.#publish = publish
    this.#outcomes = outcomes
  }

  async deliver(call: Call, signal: AbortSignal | undefined, slot: Slot): Promise<Receipt> {
    if (this.#ended) throw this.#ended
    const since = performance.now()
    const sealed = this.#sealer.seal(call)
    slot.markSealed()
    const inputs = call.inputs ? [call.inputs] : NONE
    const { tag, traceContext } = call
    const outcomes = this.#outcomes
    // List all members: spreading an object here would take a tenth of the time of a call.
    const publish = (json: Uint8Array) => {
      const sealedMs = performance.now() - since
      return this.#publish({ json, inputs, tag, traceContext, sealedMs, signal, outcomes, slot })
    }
    if (!('then' in sealed)) return new Receipt(await unlessAborted(publish(sealed), signal))
    let accepted: Promise<Sent>
    this.#signing.begin()
    try {
      accepted = publish(await unlessAborted(sealed, signal))
    } catch (error) {
      if (signal?.aborted) ignoreRejection(sealed.then((message) => outcomes?.refused(message)))
      throw error
    } finally {
      this.#signing.end()
    }
    return new Receipt(await unlessAborted(accepted, signal))
  }

  allSealed(): Promise<void> {
    return this.#signing.none()
  }

  end(error: AlvariumError): void {
    this.#ended ??= error
  }
}
