import { streamsBehind } from './claim.js'
import type { StreamDestination, StreamProvider } from './stream.js'

/** Returns where a stream's messages go, by its own word or that of the one stream behind it; nothing if several say it. */
export function destinationOf(stream: StreamProvider): StreamDestination | undefined {
  if (stream.destination) return stream.destination
  const behind = (stream as { [streamsBehind]?: readonly StreamProvider[] })[streamsBehind] ?? []
  const [destination, ...others] = behind.flatMap((one) => destinationOf(one) ?? [])
  return others.length === 0 ? destination : undefined
}
