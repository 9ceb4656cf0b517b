import { AlvariumError } from '../../foundation/base/errors.js'
import { milliseconds, nanoseconds } from '../../foundation/base/time/timestamp.js'
import { invalid } from '../fault.js'

/** Error for a message with a timestamp after `--received-at`. The stated time of receipt is then wrong. */
export class SignedLater extends AlvariumError {}

/**
 * Returns an error if a message was signed after its stated time of receipt. Such a message must not count.
 * Otherwise a revoked key could sign again, if the stated time is before the revocation of the key.
 *
 * @param receivedAt - time of `--received-at` in milliseconds since 1970
 * @param signed - statements of the message with their timestamps
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

/** @throws SignedLater if a message was signed after its stated time of receipt */
export function assertNotLater(...args: Parameters<typeof signedLater>): void {
  const later = signedLater(...args)
  if (later) throw later
}
