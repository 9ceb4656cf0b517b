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

/**
 * Writes each message as one line of JSON to the console, like the `console` stream of the other SDKs.
 *
 * @param log - where lines go; `console.log` unless given
 *
 * @example
 * ```ts
 * await using sdk = await openSdk({ signingKey, annotators: [source()], stream: consoleStream() })
 * await sdk.create(payload) // {"action":"create","messageType":"alvarium.AnnotationBundle/1",…
 * ```
 */
export function consoleStream(log: (line: string) => void = console.log): StreamProvider {
  const decoder = new TextDecoder()
  return { publish: (message) => log(decoder.decode(message)) }
}
