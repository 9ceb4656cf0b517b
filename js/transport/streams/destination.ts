import { streamsBehind } from './claim.js'
import type { StreamDestination, StreamProvider } from './stream.js'

/**
 * Returns a stream's `destination`, or that of the stream behind it; undefined if several streams behind it have one.
 */
export function destinationOf(stream: StreamProvider): StreamDestination | undefined {
  if (stream.destination) return stream.destination
  const behind = (stream as { [streamsBehind]?: readonly StreamProvider[] })[streamsBehind] ?? []
  const [destination, ...others] = behind.flatMap((one) => destinationOf(one) ?? [])
  return others.length === 0 ? destination : undefined
}
