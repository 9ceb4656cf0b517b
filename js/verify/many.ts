import { AlvariumError, type ErrorCode } from '../base/errors.js'
import { join } from '../base/join.js'
import type { CoreVerifier } from '../keys/core-verifier.js'
import type { IdentifiedBundle } from '../model/bundle.js'

/** Why there is no result, where an `AlvariumError` cannot go: through JSON, or structured cloning. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
}

/** Verifies messages in one crossing; what became of each, as the core writes it, for {@link bundlesOf}. */
export function verifyMany(trusted: Pick<CoreVerifier, 'use'>, messages: readonly Uint8Array[]): string {
  const { bytes, lengths } = join(messages)
  return trusted.use((verifier) => verifier.verifyMany(bytes, lengths))
}

/** The verified bundles of each message, or why there are none. */
export function bundlesOf(outcomes: string): readonly (IdentifiedBundle[] | AlvariumError)[] {
  return (JSON.parse(outcomes) as (IdentifiedBundle[] | Failure)[]).map((outcome) =>
    Array.isArray(outcome) ? outcome : errorOf(outcome),
  )
}

export function errorOf({ code, message }: Failure): AlvariumError {
  return new AlvariumError(code, message)
}
