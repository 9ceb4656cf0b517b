import {
  AlvariumError,
  type ClassicAnnotation,
  type ClassicMessage,
  type ErrorCode,
  type Keyring,
  type TrustPolicy,
  type VerifiedBundle,
  verifyBatch,
} from 'alvarium-sdk/verify'
import type { VerifiedCheckpoint } from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { type LeaseBook, openTrusted } from '../../signing/keys/trust-policy.js'
import type { Dialect } from '../../verifying/classic/dialect.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import { verifyRead } from '../../verifying/classic/verify-classic.js'
import { verifyReceived } from '../../verifying/verify/messages.js'
import { Unreadable } from '../input/files.js'
import type { FoundMessage, ReadableMessage } from '../messages/found.js'
import type { AskedPayload } from './asked-payload.js'
import { SignedLater, signedLater } from './received.js'

/** Verdict on a message. FORMAT.md, Words of verdicts, defines the words of `is`. */
export type Verdict = { readonly place: string } & (
  | { readonly is: 'verified'; readonly format: 'bundle'; readonly bundles: readonly VerifiedBundle[] }
  | {
      readonly is: 'verified' | 'refused' | 'unknown signer'
      readonly format: 'classic'
      readonly classic: ClassicMessage
    }
  | {
      readonly is: 'refused' | 'unknown signer' | 'unread' | 'signed'
      readonly format: 'none'
      readonly error: AlvariumError
      readonly message?: Uint8Array
    }
)

export interface VerifyContext {
  readonly keyring: Keyring | TrustPolicy
  readonly payload?: AskedPayload
  /** Leases, with which signers of the policy permit other keys to sign in their name. */
  readonly leases?: LeaseBook | undefined
  /** Verified checkpoints, for a trust policy with witnesses. */
  readonly checkpoints?: readonly VerifiedCheckpoint[] | undefined
  /** Time of receipt in milliseconds since 1970, for messages without one. */
  readonly receivedAt?: number | undefined
}

/** Verifies messages of any kind in one call, which is faster than single calls. */
export async function verdictsOn(found: readonly FoundMessage[], trust: VerifyContext): Promise<Verdict[]> {
  const readable = found.flatMap(({ message }) => (message instanceof AlvariumError ? [] : [message]))
  const receivedAt = found[0]?.receivedAt ?? trust.receivedAt
  const { keyring, leases, checkpoints } = trust
  const verifying = { keyring, leases, checkpoints }
  const outcomes = (await verifyReceived(readable, verifying, () => receivedAt)).values()
  const verdicts: Verdict[] = []
  for (const { place, message } of found) {
    if (message instanceof AlvariumError) {
      verdicts.push(refusalVerdict(place, message))
      continue
    }
    const outcome = outcomes.next().value as SettledMessage
    verdicts.push(inTime(await verdictOn({ place, message, receivedAt }, outcome, trust), message, trust))
  }
  return verdicts
}

/** Returns the verdict, or a refusal if the message was signed after its stated time of receipt. */
function inTime(verdict: Verdict, message: Uint8Array, { receivedAt }: VerifyContext): Verdict {
  if (verdict.is !== 'verified') return verdict
  const error = signedLater(receivedAt, statementsIn(verdict))
  return error ? refusalVerdict(verdict.place, error, message) : verdict
}

function statementsIn(verdict: Verdict): readonly { timestamp: string }[] {
  if (verdict.format === 'bundle') return verdict.bundles
  if (verdict.format === 'none') return []
  return verdict.classic.annotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

type SettledMessage = Awaited<ReturnType<typeof verifyReceived>>[number]

async function verdictOn(
  found: ReadableMessage,
  outcome: SettledMessage,
  trust: VerifyContext,
): Promise<Verdict> {
  const { place, message } = found
  if (outcome.status === 'fulfilled') return aboutPayload(place, outcome.value, trust.payload)
  const error = outcome.reason as AlvariumError
  if (trust.payload && OF_POLICY.includes(error.code)) {
    const about = aboutPayload(place, await genuineIn(message, trust), trust.payload)
    if (about.is !== 'verified') return about
  }
  const classic = error.code === 'MESSAGE_MALFORMED' ? await classicIn(found, trust) : undefined
  if (!classic) return refusalVerdict(place, error, message)
  return classicVerdict(place, classic)
}

const OF_CLASSIC = { holds: 'verified', 'does not hold': 'refused', 'cannot tell': 'unknown signer' } as const

export function classicVerdict(place: string, classic: ClassicMessage): Verdict {
  return { place, is: OF_CLASSIC[classic.outcome], format: 'classic', classic }
}

/** Error codes of trust policies, which imply a valid signature: policies are evaluated after the signature. */
const OF_POLICY: readonly ErrorCode[] = ['SIGNER_NOT_ALLOWED', 'SIGNER_EXPIRED', 'SIGNER_REVOKED']

/** Returns the bundles of a message with a valid signature, even if the trust policy refuses them. */
export async function genuineIn(
  message: Uint8Array,
  {
    keyring,
    leases,
  }: Pick<VerifyContext, 'keyring'> & {
    readonly leases?: LeaseBook | readonly Uint8Array[] | undefined
  },
): Promise<VerifiedBundle[]> {
  const trusting = await openTrusted(keyring)
  const verify = (judging: Pick<typeof trusting, 'keyring'>) =>
    verifyBatch(message, { keyring: judging.keyring })
  return leases && trusting.leased ? trusting.leased.verifyOne(leases, verify) : verify(trusting)
}

function wordOf(error: AlvariumError): 'refused' | 'unknown signer' | 'unread' | 'signed' {
  if (error instanceof Unreadable) return 'unread'
  if (error instanceof SignedLater) return 'signed'
  return error.code === 'SIGNER_UNKNOWN' ? 'unknown signer' : 'refused'
}

export function refusalVerdict(place: string, error: AlvariumError, message?: Uint8Array): Verdict {
  return { place, is: wordOf(error), format: 'none', error, ...(message && { message }) }
}

/** Verifies a classic message, trying up to all trusted keys; returns undefined for other messages. */
async function classicIn(
  { message, receivedAt }: ReadableMessage,
  { keyring, payload, leases }: VerifyContext,
): Promise<ClassicMessage | undefined> {
  try {
    const read = readIfClassic(message)
    if (!read) return undefined
    const compare = payload && ((one: ClassicAnnotation) => isAbout(payload, one, read.dialect))
    return await verifyRead(read, await openTrusted(keyring), { compare, receivedAt, leases })
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'MESSAGE_MALFORMED') return undefined
    throw error
  }
}

function isAbout(payload: AskedPayload, one: ClassicAnnotation, dialect: Dialect): boolean {
  if (payload.isOfClassic(one, dialect)) return true
  throw mismatch(payload)
}

/**
 * Returns the verdict on a message's bundles. Without `payload`, they may be about anything. With `payload`,
 * at least one bundle must be about the file or one of its records. If `isByRecord` of `payload` is true,
 * every bundle must be.
 */
function aboutPayload(place: string, bundles: readonly VerifiedBundle[], payload?: AskedPayload): Verdict {
  if (!payload) return { place, is: 'verified', format: 'bundle', bundles }
  const checked = bundles.map((bundle) => ({ ...bundle, payloadChecked: payload.isOf(bundle) }))
  const isAbout = ({ payloadChecked }: VerifiedBundle) => payloadChecked
  if (payload.isByRecord ? checked.every(isAbout) : checked.some(isAbout)) {
    return { place, is: 'verified', format: 'bundle', bundles: checked }
  }
  return refusalVerdict(place, mismatch(payload))
}

function mismatch({ records, fault }: AskedPayload): AlvariumError {
  const why = fault === undefined ? '' : ` (only the whole file was compared: ${fault})`
  const text =
    records.length > 1 ? 'the message is about no record of the file' : 'the message is about another payload'
  return new AlvariumError('PAYLOAD_MISMATCH', `--payload: ${text}${why}`)
}
