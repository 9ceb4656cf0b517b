import { type Joined, join } from '../base/bytes/join.js'
import { AlvariumError, type ErrorCode, isVerdict } from '../base/errors.js'
import type { EcVerifier } from '../keys/ec-verifier.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import { type Verifying, verifyByEc } from './one.js'

/** Why there is no result, where an `AlvariumError` cannot go: through JSON, or structured cloning. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
}

/**
 * Verifies messages in one crossing; what became of each, as the core writes it, for {@link bundlesOf}.
 *
 * @param joined - the same messages, if they stand one behind the other already
 */
export function verifyMany(
  trusted: Verifying,
  messages: readonly Uint8Array[],
  { bytes, lengths }: Joined = join(messages),
): string {
  const outcomes = trusted.use((verifier) => verifier.verifyMany(bytes, lengths))
  const { ec } = trusted
  return ec && outcomes.includes(STRANGER) ? withEc(outcomes, trusted, ec, messages) : outcomes
}

/** Whom the core does not know may have a key that it cannot have. */
const STRANGER: ErrorCode = 'SIGNER_UNKNOWN'

function withEc(
  outcomes: string,
  trusted: Verifying,
  ec: EcVerifier,
  messages: readonly Uint8Array[],
): string {
  const verified = (message: Uint8Array) => JSON.parse(verifyByEc(trusted, ec, message))
  const each = (JSON.parse(outcomes) as (IdentifiedBundle[] | Failure)[]).map((outcome, at) =>
    'code' in outcome && outcome.code === STRANGER
      ? orFailure(() => verified(messages[at] as Uint8Array) as IdentifiedBundle[])
      : outcome,
  )
  return JSON.stringify(each)
}

/** What is returned, or why there is nothing. Throws what says nothing about the message. */
export function orFailure<T>(run: () => T): T | Failure {
  try {
    return run()
  } catch (error) {
    return failureOf(error)
  }
}

export function failureOf(error: unknown): Failure {
  if (!isVerdict(error)) throw error
  return { code: error.code, message: error.message }
}

/** What became of a message: its bundles, whose signature is good, or why there are none. */
export type Outcome = IdentifiedBundle[] | AlvariumError

/** The outcome of each message. */
export function bundlesOf(outcomes: string): readonly Outcome[] {
  return (JSON.parse(outcomes) as (IdentifiedBundle[] | Failure)[]).map((outcome) =>
    Array.isArray(outcome) ? outcome : errorOf(outcome),
  )
}

export function errorOf({ code, message }: Failure): AlvariumError {
  return new AlvariumError(code, message)
}
