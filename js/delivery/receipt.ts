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
    this.#bundle ??= bundleAt(this.#json, this.index)
    return this.#bundle
  }
}

/**
 * What was read last of a message, for the receipts of one batch: read for each of them, 10,240 took a minute. Held weakly:
 * a receipt that is kept keeps its own bundle, and not all the others.
 */
const contents = new WeakMap<Uint8Array, WeakRef<Content>>()

/** A message of ours, as JSON has it. */
interface Content {
  readonly action: Bundle['action']
  readonly content: Omit<Bundle, 'action'> & {
    readonly signature: string
    readonly bundles?: readonly Bundle[]
  }
}

function contentOf(json: Uint8Array): Content {
  const known = contents.get(json)?.deref()
  if (known) return known
  // Our own message, so no check is needed; see `verifyMessage` for anybody else's.
  const content = JSON.parse(new TextDecoder().decode(json)) as Content
  contents.set(json, new WeakRef(content))
  return content
}

/** Streams of your own resolve with whatever they like. */
async function deliveryOf(accepted: unknown): Promise<void> {
  if (typeof accepted === 'object' && accepted !== null && 'delivered' in accepted) await accepted.delivered
}

function bundleAt(json: Uint8Array, index: number): Bundle {
  const { action, content } = contentOf(json)
  const { signature, signer, bundles, ...claims } = content
  if (bundles === undefined) return { action, signer, ...claims }
  const { action: ownAction, ...ownClaims } = bundles[index] as Bundle
  return { action: ownAction, ...ownClaims, signer }
}
