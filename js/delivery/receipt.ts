import type { Bundle } from '../model/bundle.js'

/** @internal A message as it was published, and as JSON: the same bytes unless a codec made others of them. */
export interface Sent {
  readonly message: Uint8Array
  readonly json: Uint8Array
}

/** What an SDK call resolves to once the stream has accepted its message. */
export class Receipt {
  /** The message, exactly as it was published. */
  readonly message: Uint8Array
  /** The bundle's place in the message: 0, or more in a batch. See `extractBundle`. */
  readonly index: number
  readonly #json: Uint8Array
  #bundle: Bundle | undefined

  /** @internal */
  constructor({ message, json }: Sent, index = 0) {
    this.message = message
    this.index = index
    this.#json = json
  }

  /** What was said, read from the message on first use: most callers only want to know that it went out. */
  get bundle(): Bundle {
    this.#bundle ??= read(this.#json, this.index)
    return this.#bundle
  }
}

/** Our own message, so no check is needed; see `verifyMessage` for anybody else's. */
function read(message: Uint8Array, index: number): Bundle {
  const { action, content } = JSON.parse(new TextDecoder().decode(message))
  const { signature, signer, bundles, ...claims } = content
  if (bundles === undefined) return { action, signer, ...claims }
  const { action: ownAction, ...ownClaims } = bundles[index]
  return { action: ownAction, signer, ...ownClaims }
}
