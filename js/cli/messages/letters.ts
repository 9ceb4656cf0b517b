import { AlvariumError, malformed } from '../../base/errors.js'
import { isDeadLetter, openDeadLetter } from '../../consume/dead-letter.js'
import { messageIn } from './forms.js'
import type { FoundMessage } from './found.js'

/**
 * Returns the message that a dead letter has in it, in place of the dead letter. When it was received is not taken over: nobody signed that, and a
 * stolen key that was revoked would sign again in a dead letter of last year.
 */
export function opened(found: FoundMessage): FoundMessage {
  const { message } = found
  if (message instanceof AlvariumError || !isDeadLetter(message)) return found
  return { ...found, message: messageInLetter(message) }
}

function messageInLetter(letter: Uint8Array): FoundMessage['message'] {
  try {
    const { message, size } = openDeadLetter(letter)
    return message
      ? messageIn(message)
      : malformed('dead letter', 'one with its message', `one without its ${size} bytes`)
  } catch (error) {
    if (error instanceof AlvariumError) return error
    throw error
  }
}
