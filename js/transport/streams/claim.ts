import { type AlvariumError, expected, streamError } from '../../foundation/base/errors.js'
import { hasMethods } from '../../foundation/base/options/schema.js'
import { type ConnectOptions, connect, type StreamProvider } from './stream.js'

/**
 * Member with the streams to which a stream forwards its messages and that it closes, such as those of `tee` or an
 * outbox. A registered symbol, because no foreign stream has it by chance.
 */
export const streamsBehind = Symbol.for('alvarium-sdk.streamsBehind')

const ownedStreams = new WeakSet<StreamProvider>()

/**
 * Gives a stream, and those behind it, to one owner: an SDK, or a subscription for its dead letters. A stream that can
 * be closed has one owner at a time, because closing it would interrupt the calls of the others.
 *
 * @param option - name of the option that holds the stream, for errors
 * @throws AlvariumError `CONFIG_INVALID` if an open SDK or subscription owns the stream
 */
export function claim(stream: StreamProvider, option = 'stream'): void {
  const all = closableStreams(stream)
  const conflict = all.find((one, at) => ownedStreams.has(one) || all.indexOf(one) !== at)
  if (conflict) {
    const got = conflict === stream ? 'one' : 'a tee or an outbox with one inside'
    const use = `${got} that is in use: give each SDK its own`
    throw expected('CONFIG_INVALID', option, 'a stream that no other SDK uses', use)
  }
  for (const one of all) ownedStreams.add(one)
}

/** Ends the ownership: the stream and those behind it can be claimed again. */
export function release(stream: StreamProvider): void {
  for (const one of closableStreams(stream)) ownedStreams.delete(one)
}

/**
 * Claims a stream and connects it. {@link closeClaimed} closes and releases it.
 *
 * @throws AlvariumError as {@link claim} and {@link connect}; the stream is then released
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

/** Closes a claimed stream and releases it. Resolves with the error if it could not be closed. */
export async function closeClaimed(
  stream: StreamProvider,
  field: string,
): Promise<AlvariumError | undefined> {
  try {
    await stream.close?.()
    return undefined
  } catch (error) {
    return streamError('STREAM_FAILED', `${field}.close: expected to close`, error)
  } finally {
    release(stream)
  }
}

/** Returns those streams that can be closed: this one, and all behind it. */
function closableStreams(stream: StreamProvider): StreamProvider[] {
  const behind = (stream as { [streamsBehind]?: readonly StreamProvider[] })[streamsBehind] ?? []
  const all = behind.flatMap(closableStreams)
  return hasMethods(stream, 'close') ? [stream, ...all] : all
}
