import { innerStreams } from './claim.js'
import type { StreamDestination, StreamProvider } from './stream.js'

/**
 * Returns a stream's `destination`, or else the destination of the streams that it forwards to. Returns
 * undefined unless exactly one of them has a destination.
 */
export function destinationOf(stream: StreamProvider): StreamDestination | undefined {
  if (stream.destination) return stream.destination
  const behind = (stream as { [innerStreams]?: readonly StreamProvider[] })[innerStreams] ?? []
  const [destination, ...others] = behind.flatMap((one) => destinationOf(one) ?? [])
  return others.length === 0 ? destination : undefined
}
