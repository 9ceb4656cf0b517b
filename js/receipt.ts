import type { Bundle } from './bundle.js'

/** What an SDK call resolves to once the stream has accepted its message. */
export class Receipt {
  /** The message, exactly as it was published. */
  readonly message: Uint8Array
  #bundle: Bundle | undefined

  /** @internal */
  constructor(message: Uint8Array) {
    this.message = message
  }

  /** What was said, read from the message on first use: most callers only want to know that it went out. */
  get bundle(): Bundle {
    this.#bundle ??= read(this.message)
    return this.#bundle
  }
}

/** Our own message, so no check is needed; see `verifyMessage` for anybody else's. */
function read(message: Uint8Array): Bundle {
  const { action, content } = JSON.parse(new TextDecoder().decode(message))
  const { signature, ...bundle } = content
  return { action, ...bundle }
}
