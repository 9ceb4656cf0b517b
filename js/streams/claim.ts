import { AlvariumError } from '../base/errors.js'
import { hasMethods } from '../base/schema.js'
import type { StreamProvider } from './stream.js'

const claimed = new WeakSet<StreamProvider>()

/**
 * Gives a stream to one SDK. What can be closed belongs to one at a time: the first that closed it would take it from the
 * others, in the middle of their calls.
 *
 * @throws AlvariumError `CONFIG_INVALID` when an SDK that is open has it
 */
export function claim(stream: StreamProvider): void {
  if (!hasMethods(stream, 'close')) return
  if (claimed.has(stream)) {
    const text =
      'stream: expected one of its own for each SDK, which closes it, got one that another has open'
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  claimed.add(stream)
}

/** It may be given to another. */
export function release(stream: StreamProvider): void {
  claimed.delete(stream)
}
