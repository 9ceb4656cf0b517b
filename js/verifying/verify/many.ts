import { type JoinedBytes, join } from '../../foundation/base/bytes/join.js'
import { AlvariumError, type ErrorCode, isVerdict } from '../../foundation/base/errors.js'
import type { IdentifiedBundle } from '../../foundation/model/bundle.js'
import { type VerifyingCore, verifyOutside } from './one.js'

/** Error without a result, in a form for JSON and structured cloning, which lose an `AlvariumError`. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly signer?: string | undefined
}

/** Answer of the core to a message. */
export type CoreAnswer = IdentifiedBundle[] | Failure

/**
 * Verifies messages in one crossing. Returns the outcome of each in the core's text, for {@link answersIn}.
 *
 * @param joined - the same messages, if they are joined already
 */
export function verifyMany(
  trusted: VerifyingCore,
  messages: readonly Uint8Array[],
  joined: JoinedBytes = join(messages),
): string {
  const written = verifyInCore(trusted, joined)
  if (!trusted.outside || !written.includes(STRANGER)) return written
  const answers = answersIn(written)
  for (const _ of fromOutside(answers, trusted, messages));
  return JSON.stringify(answers)
}

/** Verifies the messages whose signers the core knows, in the same way. */
export function verifyInCore(trusted: Pick<VerifyingCore, 'use'>, { bytes, lengths }: JoinedBytes): string {
  return trusted.use((verifier) => verifier.verifyMany(bytes, lengths))
}

export function answersIn(written: string): CoreAnswer[] {
  return JSON.parse(written)
}

/** Error for signers that the core does not know, which may have a key outside of the core. */
const STRANGER: ErrorCode = 'SIGNER_UNKNOWN'

/**
 * Replaces the answers for strangers by answers of keys outside of the core, if there are any. Yields before
 * each message.
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

/** Returns the result, or the failure. Throws errors that are no verdict about the message. */
export function orFailure<T>(run: () => T): T | Failure {
  try {
    return run()
  } catch (error) {
    return failureOf(error)
  }
}

export function failureOf(error: unknown): Failure {
  if (!isVerdict(error)) throw error
  return { code: error.code, message: error.message, signer: error.signer }
}

/** Outcome of a message: its bundles, whose signature is valid, or an error. */
export type MessageOutcome = IdentifiedBundle[] | AlvariumError

/** Converts an outcome that went through JSON or structured cloning, and restores its error. */
export function outcomeOf<T extends object>(answer: T | Failure): T | AlvariumError {
  return 'code' in answer ? new AlvariumError(answer.code, answer.message, { signer: answer.signer }) : answer
}
