import type { Bundle } from '../model/bundle.js'

/** @internal A message as it was published, and as JSON: the same bytes unless a codec made others of them. */
export interface Sent {
  readonly message: Uint8Array
  readonly json: Uint8Array
  /** What the stream accepted it with. */
  readonly accepted?: unknown
}

/** What an SDK call resolves to once the stream has accepted its message. */
export class Receipt {
  /** The message, exactly as it was published. */
  readonly message: Uint8Array
  /** The bundle's place in the message: 0, or more in a batch. See `extractBundle`. */
  readonly index: number
  readonly #json: Uint8Array
  readonly #accepted: unknown
  #bundle: Bundle | undefined

  /** @internal */
  constructor({ message, json, accepted }: Sent, index = 0) {
    this.message = message
    this.index = index
    this.#json = json
    this.#accepted = accepted
  }

  /**
   * Resolves when the message has arrived where the stream goes: at once, except with streams that accept a message before
   * it is there, as an outbox does. Rejects, with an `AlvariumError`, when such a stream has given the message up.
   *
   * @example
   * ```ts
   * const receipt = await sdk.create(payload) // stored in the outbox
   * await receipt.delivered // the broker has it
   * ```
   */
  get delivered(): Promise<void> {
    return deliveryOf(this.#accepted)
  }

  /** What was said, read from the message on first use: most callers only want to know that it went out. */
  get bundle(): Bundle {
    this.#bundle ??= read(this.#json, this.index)
    return this.#bundle
  }
}

/** Streams of your own resolve with whatever they like. */
async function deliveryOf(accepted: unknown): Promise<void> {
  if (typeof accepted === 'object' && accepted !== null && 'delivered' in accepted) await accepted.delivered
}

/** Our own message, so no check is needed; see `verifyMessage` for anybody else's. */
function read(message: Uint8Array, index: number): Bundle {
  const { action, content } = JSON.parse(new TextDecoder().decode(message))
  const { signature, signer, bundles, ...claims } = content
  if (bundles === undefined) return { action, signer, ...claims }
  const { action: ownAction, ...ownClaims } = bundles[index]
  return { action: ownAction, signer, ...ownClaims }
}
