import type { Bundle } from './bundle.js'

/** What an SDK call resolves to once the stream has accepted its message. */
export class Receipt {
  /** The message, exactly as it was published. */
  readonly message: Uint8Array
  /** The bundle's place in the message: 0, or more in a batch. See `extractBundle`. */
  readonly index: number
  #bundle: Bundle | undefined

  /** @internal */
  constructor(message: Uint8Array, index = 0) {
    this.message = message
    this.index = index
  }

  /** What was said, read from the message on first use: most callers only want to know that it went out. */
  get bundle(): Bundle {
    this.#bundle ??= read(this.message, this.index)
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
