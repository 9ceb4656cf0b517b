import { AlvariumError, malformed } from '../../foundation/base/errors.js'
import { isDeadLetter, openDeadLetter } from '../../verifying/consume/dead-letter.js'
import { messageIn } from './forms.js'
import type { FoundMessage } from './found.js'

/**
 * Replaces a dead letter by the message in it. It ignores the time of receipt, which is not signed: with it, a stolen and revoked key could sign
 * again in a dead letter dated last year.
 */
export function openLetter(found: FoundMessage): FoundMessage {
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
