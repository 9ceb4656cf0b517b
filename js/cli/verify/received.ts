import { AlvariumError } from '../../foundation/base/errors.js'
import { milliseconds, nanoseconds } from '../../foundation/base/time/timestamp.js'
import { invalid } from '../fault.js'

/** Error of a message that was signed after `--received-at`, so that its real time of receipt is unknown. */
export class SignedLater extends AlvariumError {}

/**
 * Returns why a time of receipt cannot be that of a message. Such a message must not count: a key that was
 * revoked in between could sign again.
 *
 * @param receivedAt - time of `--received-at`, in milliseconds since 1970
 * @param signed - statements of the message, with their timestamps
 */
export function signedLater(
  receivedAt: number | undefined,
  signed: Iterable<{ readonly timestamp: string }>,
): SignedLater | undefined {
  if (receivedAt === undefined) return undefined
  for (const { timestamp } of signed) {
    if (milliseconds(nanoseconds(timestamp) ?? 0n) <= receivedAt) continue
    const text = invalid(
      '--received-at',
      `a time that is not before ${timestamp}, when the message was signed`,
      new Date(receivedAt).toISOString(),
    )
    return new SignedLater(text.code, text.message)
  }
  return undefined
}
