import { type JoinedBytes, join } from '../../foundation/base/bytes/join.js'
import { AlvariumError, type ErrorCode, verdictIn } from '../../foundation/base/errors.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import type { VerifyingCore } from '../../signing/keys/core-verifier.js'
import { verifyOutside } from './one.js'

/** Error in a form that survives JSON and structured cloning, which an `AlvariumError` does not. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly signer?: string | undefined
}

export type CoreAnswer = IdentifiedBundle[] | Failure

/**
 * Verifies messages in one call of the core. Returns the results as JSON, for {@link answersIn}.
 *
 * @param joined - `messages` in concatenated form, if the caller has it already
 */
export function verifyMany(
  trusted: VerifyingCore,
  messages: readonly Uint8Array[],
  joined: JoinedBytes = join(messages),
): string {
  const json = verifyInCore(trusted, joined)
  if (!trusted.outside || !json.includes(STRANGER)) return json
  const answers = answersIn(json)
  for (const _ of fromOutside(answers, trusted, messages));
  return JSON.stringify(answers)
}

/** Verifies messages in one call of the core, with the core's keys only. Returns the results as JSON. */
export function verifyInCore(trusted: Pick<VerifyingCore, 'use'>, { bytes, lengths }: JoinedBytes): string {
  return trusted.use((verifier) => verifier.verifyMany(bytes, lengths))
}

export function answersIn(json: string): CoreAnswer[] {
  return JSON.parse(json)
}

/** Error code for signers without a key in the core. Such a signer may have a key outside of the core. */
const STRANGER: ErrorCode = 'SIGNER_UNKNOWN'

/**
 * Verifies again, with keys outside of the core, each message with the result `SIGNER_UNKNOWN`. Yields before
 * each of these messages.
 */
export function* fromOutside(
  answers: CoreAnswer[],
  trusted: VerifyingCore,
  messages: readonly Uint8Array[],
): Generator<void, void> {
  const { outside } = trusted
  if (!outside) return
  for (const [at, answer] of answers.entries()) {
    if (!('code' in answer) || answer.code !== STRANGER) continue
    yield
    answers[at] = orFailure(() => JSON.parse(verifyOutside(trusted, outside, messages[at] as Uint8Array)))
  }
}

export function orFailure<T>(run: () => T): T | Failure {
  try {
    return run()
  } catch (error) {
    return failureOf(error)
  }
}

export function failureOf(error: unknown): Failure {
  const { code, message, signer } = verdictIn(error)
  return { code, message, signer }
}

export type MessageOutcome = IdentifiedBundle[] | AlvariumError

/** Restores the error in a result that went through JSON or structured cloning. */
export function outcomeOf<T extends object>(answer: T | Failure): T | AlvariumError {
  return 'code' in answer ? new AlvariumError(answer.code, answer.message, { signer: answer.signer }) : answer
}
