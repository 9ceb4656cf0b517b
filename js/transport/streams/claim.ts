import { type AlvariumError, expected, failureOf } from '../../foundation/base/errors.js'
import { hasMethods } from '../../foundation/base/options/schema.js'
import { type ConnectOptions, connect, type StreamDestination, type StreamProvider } from './stream.js'

/**
 * Key under which a stream such as `tee` lists the streams that it forwards to and closes. As a symbol, it
 * does not collide with properties of other libraries.
 */
export const innerStreams = Symbol.for('alvarium-sdk.streamsBehind')

/** Returns the streams to which a stream forwards its messages. */
export function innerStreamsOf(stream: StreamProvider): readonly StreamProvider[] {
  return (stream as { [innerStreams]?: readonly StreamProvider[] })[innerStreams] ?? []
}

/** Returns the `destination` of a stream, or else of its inner streams, unless several have one. */
export function destinationOf(stream: StreamProvider): StreamDestination | undefined {
  if (stream.destination) return stream.destination
  const [destination, ...others] = innerStreamsOf(stream).flatMap((inner) => destinationOf(inner) ?? [])
  return others.length === 0 ? destination : undefined
}

const ownedStreams = new WeakSet<StreamProvider>()

/**
 * Reserves a stream, and all streams that it forwards to, for one owner: an SDK, or a subscription for its
 * dead letters. A stream with `close` has one owner at a time, because closing it would interrupt other
 * owners.
 *
 * @param option - name of the option that contains the stream, for error texts
 * @throws AlvariumError `CONFIG_INVALID` if an open SDK or subscription owns one of the streams, or if one
 * occurs twice
 */
export function claim(stream: StreamProvider, option = 'stream'): void {
  const all = closableStreams(stream)
  const conflict = all.find((one, at) => ownedStreams.has(one) || all.indexOf(one) !== at)
  if (conflict) {
    const got = conflict === stream ? 'a stream' : 'a tee or an outbox with a stream'
    const use = `${got} that is in use: give each SDK its own`
    throw expected('CONFIG_INVALID', option, 'a stream that no other SDK uses', use)
  }
  for (const one of all) ownedStreams.add(one)
}

/** Releases what `claim` has reserved. */
export function release(stream: StreamProvider): void {
  for (const one of closableStreams(stream)) ownedStreams.delete(one)
}

/**
 * Claims a stream and connects it. {@link closeClaimed} closes and releases it.
 *
 * @throws AlvariumError of {@link claim} or {@link connect}; if connecting failed, the stream is released
 */
export async function connectClaimed(connecting: ConnectOptions & { readonly field: string }): Promise<void> {
  const { stream, field } = connecting
  claim(stream, field)
  try {
    await connect(connecting)
  } catch (error) {
    release(stream)
    throw error
  }
}

/** Closes a claimed stream and releases it. Resolves with the error if closing failed. */
export async function closeClaimed(
  stream: StreamProvider,
  field: string,
): Promise<AlvariumError | undefined> {
  try {
    await stream.close?.()
    return undefined
  } catch (error) {
    return failureOf('STREAM_FAILED', `${field}.close`, error)
  } finally {
    release(stream)
  }
}

/** Returns a stream and its inner streams, if they have `close`. */
function closableStreams(stream: StreamProvider): StreamProvider[] {
  const all = innerStreamsOf(stream).flatMap(closableStreams)
  return hasMethods(stream, 'close') ? [stream, ...all] : all
}
