import { type AlvariumError, expected, failureOf } from '../../foundation/base/errors.js'
import { hasMethods } from '../../foundation/base/options/schema.js'
import { type ConnectOptions, connect, type StreamProvider } from './stream.js'

/**
 * Key of the property in which a stream lists its inner streams. A stream with inner streams, such as
 * `tee` or an outbox, forwards its messages to them, and closes them when it is closed. The key is a
 * symbol, because a string could collide with a property of another library's stream.
 */
export const innerStreams = Symbol.for('alvarium-sdk.streamsBehind')

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

/** Releases a stream and all streams that it forwards to, so that another owner can claim them. */
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

/** Returns the given stream and all streams to which it forwards. Omits streams without a method `close`. */
function closableStreams(stream: StreamProvider): StreamProvider[] {
  const behind = (stream as { [innerStreams]?: readonly StreamProvider[] })[innerStreams] ?? []
  const all = behind.flatMap(closableStreams)
  return hasMethods(stream, 'close') ? [stream, ...all] : all
}
