import { type Joined, join } from '../base/bytes/join.js'
import { AlvariumError, type ErrorCode, isVerdict } from '../base/errors.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import { type VerifyingCore, verifyOutside } from './one.js'

/** Why there is no result, where an `AlvariumError` cannot go: through JSON, or structured cloning. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly signer?: string | undefined
}

/** What the core makes of a message. */
export type CoreAnswer = IdentifiedBundle[] | Failure

/**
 * Verifies messages in one crossing; what became of each, as the core writes it, for {@link answersIn}.
 *
 * @param joined - the same messages, if they stand one behind the other already
 */
export function verifyMany(
  trusted: VerifyingCore,
  messages: readonly Uint8Array[],
  joined: Joined = join(messages),
): string {
  const written = verifyInCore(trusted, joined)
  if (!trusted.outside || !written.includes(STRANGER)) return written
  const answers = answersIn(written)
  for (const _ of fromOutside(answers, trusted, messages));
  return JSON.stringify(answers)
}

/** The same, of those whose signers the core knows. */
export function verifyInCore(trusted: Pick<VerifyingCore, 'use'>, { bytes, lengths }: Joined): string {
  return trusted.use((verifier) => verifier.verifyMany(bytes, lengths))
}

export function answersIn(written: string): CoreAnswer[] {
  return JSON.parse(written)
}

/** Signers that the core does not know may have a key outside the core. */
const STRANGER: ErrorCode = 'SIGNER_UNKNOWN'

/** Puts other answers in place of those to strangers, by keys outside the core, if there are any. Yields before each message. */
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
  return { code: error.code, message: error.message, signer: error.signer }
}

/** What became of a message: its bundles, whose signature is good, or why there are none. */
export type MessageOutcome = IdentifiedBundle[] | AlvariumError

/** What came through JSON or structured cloning, with an error again where there is none. */
export function outcomeOf<T extends object>(answer: T | Failure): T | AlvariumError {
  return 'code' in answer ? new AlvariumError(answer.code, answer.message, { signer: answer.signer }) : answer
}
