import type { StreamProvider } from './stream.js'

/** A stream that stores its messages in an array, for tests and for applications that send the messages themselves. */
export interface MemoryStream extends StreamProvider {
  /** All accepted messages, the newest last. To empty the array, set `stream.messages.length = 0`. */
  readonly messages: Uint8Array[]
}

/**
 * Creates a stream that stores messages in a growing array. Empty the array in a long-running process.
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
 * Creates a stream that writes each message to the console as a line of JSON, like the `console` stream of
 * the Alvarium SDKs for other languages.
 *
 * @param log - function that writes one line. Default: `console.log`
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
