import { AlvariumError } from '../../base/errors.js'
import { milliseconds, nanoseconds } from '../../base/time/timestamp.js'
import { invalid } from '../fault.js'

/** The error of a message that was signed after `--received-at`: its time of receipt is not known. */
export class SignedLater extends AlvariumError {}

/**
 * Returns why a time of receipt cannot be that of a message. It must not count then: a key that was revoked in between would sign again.
 *
 * @param receivedAt - as `--received-at` states it, in milliseconds since 1970
 * @param signed - what the message says, with its timestamps
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
