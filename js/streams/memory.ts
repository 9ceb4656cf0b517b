import type { StreamProvider } from './stream.js'

/** A stream that keeps its messages, newest last: for tests, and for senders of your own. */
export interface MemoryStream extends StreamProvider {
  /** Every message accepted so far. Yours to empty: `stream.messages.length = 0`. */
  readonly messages: Uint8Array[]
}

/**
 * Keeps messages in an array. It never drops any, so empty it in a long-running process.
 *
 * @example
 * ```ts
 * const stream = memory()
 * await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
 * await sdk.create(payload)
 * const bundle = await verifyMessage(stream.messages[0], { keyring: [verifyingKey], payload })
 * ```
 */
export function memory(): MemoryStream {
  const messages: Uint8Array[] = []
  return { messages, publish: (message) => void messages.push(message) }
}
