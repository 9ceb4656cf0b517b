import { type AlvariumError, expected, streamError } from '../base/errors.js'
import { hasMethods } from '../base/options/schema.js'
import { type Connecting, connect, type StreamProvider } from './stream.js'

/**
 * The member under which a stream has the streams that it hands messages on to, and closes: `tee`, an outbox. A symbol: no
 * stream of somebody's own has it by chance.
 */
export const streamsBehind = Symbol.for('alvarium-sdk.streamsBehind')

const claimed = new WeakSet<StreamProvider>()

/**
 * Gives a stream, and those behind it, to one owner: an SDK, or a subscription for its dead letters. What can be closed belongs to
 * one at a time: the first that closed it would take it from the others, in the middle of their calls.
 *
 * @param option - what it was given as
 * @throws AlvariumError `CONFIG_INVALID` if an open SDK or subscription has it
 */
export function claim(stream: StreamProvider, option = 'stream'): void {
  const all = closable(stream)
  const taken = all.find((one, at) => claimed.has(one) || all.indexOf(one) !== at)
  if (taken) {
    const got = taken === stream ? 'one' : 'a tee or an outbox with one inside'
    const use = `${got} that is in use: give each SDK its own`
    throw expected('CONFIG_INVALID', option, 'a stream that no other SDK uses', use)
  }
  for (const one of all) claimed.add(one)
}

/** They may be given to another. */
export function release(stream: StreamProvider): void {
  for (const one of closable(stream)) claimed.delete(one)
}

/**
 * Claims a stream and connects it, for {@link closeClaimed} to give it back.
 *
 * @throws AlvariumError as {@link claim} and {@link connect}; then it is nobody's
 */
export async function connectClaimed(connecting: Connecting & { readonly field: string }): Promise<void> {
  const { stream, field } = connecting
  claim(stream, field)
  try {
    await connect(connecting)
  } catch (error) {
    release(stream)
    throw error
  }
}

/** Closes a stream that was claimed, and gives it back. Resolves with why it has not closed, if so. */
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

/** The stream and all behind it that can be closed. */
function closable(stream: StreamProvider): StreamProvider[] {
  const behind = (stream as { [streamsBehind]?: readonly StreamProvider[] })[streamsBehind] ?? []
  const all = behind.flatMap(closable)
  return hasMethods(stream, 'close') ? [stream, ...all] : all
}
