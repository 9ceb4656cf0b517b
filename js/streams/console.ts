import type { StreamProvider } from './stream.js'

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
