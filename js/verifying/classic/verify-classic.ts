import { copyBytes } from '../../foundation/base/bytes/join.js'
import { AlvariumError, assertBytes, expected, isVerdict, withSigner } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { Action, HashName } from '../../foundation/model/bundle.js'
import type { Judged } from '../../foundation/model/outcome.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { copyLeases, leaseTrustOf } from '../../signing/keys/lease-options.js'
import {
  closeTrusted,
  type LeaseBook,
  type OpenTrust,
  openTrusted,
  receivedMs,
  type SignedBy,
  type TrustPolicy,
} from '../../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import type { ClassicAnnotation } from './annotation.js'
import type { ClassicDialect, Dialect } from './dialect.js'
import { classicVerdict } from './judged.js'
import { payloadKeys } from './payload-keys.js'
import { readAnnotation } from './read-annotation.js'
import { type ReadMessage, readMessage } from './read-message.js'
import type { SearchMemory } from './search-memory.js'
import { SignerSearch } from './signers.js'

/** Trusted keys, and the facts to compare. */
export interface VerifyClassicOptions {
  /**
   * Trusted keys, or a trust policy. Classic annotations do not name their keys, so each key may cost a
   * verification: use few. Nobody signed the action, so a signer for whom a policy lists actions is refused.
   */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** Payload that the annotations must be about. */
  readonly payload?: Uint8Array | undefined
  /** Payload that the first annotation of a `mutate` must be about: the `src` of the payload that was changed. */
  readonly previousPayload?: Uint8Array | undefined
  /** Time of receipt, as a `Date` or in milliseconds since 1970, for a trust policy. Default: unknown. */
  readonly receivedAt?: Date | number | undefined
  /**
   * Leases that let keys outside of the trust policy sign, as for `verifyMessage`. Each of those keys may
   * cost a verification too.
   */
  readonly leases?: readonly Uint8Array[] | undefined
}

const NAMES = ['keyring', 'receivedAt', 'leases', 'payload', 'previousPayload']

/** Annotation with a valid signature, which covers every field but the last three. */
export interface VerifiedAnnotation extends ClassicAnnotation {
  /** Key id of the key that signed it. */
  readonly signer: string
  /**
   * True if the annotation was also compared with a given payload. With hash `none` in Go's dialect, payloads
   * that differ only in upper and lower case have the same key.
   */
  readonly payloadChecked: boolean
  /** Owner of the key, if a trust policy was used. */
  readonly signedBy?: SignedBy
}

/**
 * Verdict on one annotation: `fulfilled` with it, or `rejected` with an `AlvariumError` of one of these
 * codes:
 *
 * - `MESSAGE_MALFORMED`, `PAYLOAD_MISMATCH`
 * - `SIGNER_UNKNOWN`: no key of the keyring verifies any annotation of the message, so it is altered, or
 * signed by an unknown key
 * - `SIGNATURE_INVALID`: a key verifies another annotation of the message, and none verifies this one
 * - with a trust policy also `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` or `SIGNER_REVOKED`
 */
export type ClassicVerdict = PromiseSettledResult<VerifiedAnnotation>

/**
 * Message of the Go, Java, Rust or Python SDK. Its `outcome` is the worst outcome of its annotations:
 * `'holds'` if each of them verified. Without annotations it is `'cannot tell'`.
 */
export interface ClassicMessage extends Judged {
  /** Action of the message. **Nobody signed it**: anyone who forwarded the message may have changed it. */
  readonly action: Action
  /** Dialect of the message. It is not signed either: Java's annotations can be forwarded as Go's. */
  readonly dialect: ClassicDialect
  /** Verdicts on the annotations, in the order of the message. Nobody signed their completeness, order or number. */
  readonly annotations: readonly ClassicVerdict[]
}

/**
 * Verifies a message of the Go, Java, Rust or Python SDK, in which each annotation is signed separately. If
 * one is bad, the others keep their verdicts.
 *
 * With `payload`, annotations about other payloads are rejected. That includes the first one of a `mutate`,
 * which is about the previous payload, unless that is given as `previousPayload`.
 *
 * @throws TypeError if `message` or a payload is not a `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError `MESSAGE_MALFORMED` for any other message (for bundles, use {@link verifyMessage});
 * `KEY_INVALID` for a key of the keyring that cannot be read; `CONFIG_INVALID` for an unknown option, for too
 * many leases, and for leases without a trust policy
 *
 * @example
 * ```ts
 * const { outcome, needs, annotations } = await verifyClassic(fromGo, { keyring, payload })
 * if (outcome === 'cannot tell') console.warn(needs) // the sender's public key
 * for (const one of annotations) {
 *   if (one.status === 'fulfilled') record(one.value)
 *   else console.warn(one.reason.code)
 * }
 * ```
 */
export async function verifyClassic(
  message: Uint8Array,
  options: VerifyClassicOptions,
): Promise<ClassicMessage> {
  assertNames(options, NAMES)
  const { keyring, payload, previousPayload } = options
  if (payload !== undefined) assertBytes(payload, 'payload')
  if (previousPayload !== undefined) assertBytes(previousPayload, 'previousPayload')
  const receivedAt = receivedMs(options.receivedAt)
  const leases = copyLeases(options)
  const read = readMessage(message)
  // Copy the payloads, because their owner may reuse the memory meanwhile.
  const compare = makeComparison(
    read,
    payload && copyBytes(payload),
    previousPayload && copyBytes(previousPayload),
  )
  await verifyTurns.take()
  const trusting = await openTrusted(keyring)
  try {
    return await verifyRead(read, trusting, { compare, receivedAt, leases })
  } finally {
    closeTrusted(keyring, trusting)
  }
}

/**
 * Compares an annotation with the payload that it must be about.
 *
 * @param place - index of the annotation in its message
 * @returns whether there was a payload to compare with
 * @throws AlvariumError `PAYLOAD_MISMATCH`
 */
type Compare = (annotation: ClassicAnnotation, place: number) => boolean

/** Payloads to compare, time of receipt, and leases for a verification. */
interface ClassicContext {
  readonly compare?: Compare | undefined
  readonly receivedAt?: number | undefined
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
  /** Memory shared with other messages of the same pack. */
  readonly memory?: SearchMemory | undefined
}

/** @internal Returns the verdicts on the annotations of a parsed message. */
export async function verifyRead(
  { action, dialect, items }: ReadMessage,
  trusting: OpenTrust,
  { compare = () => false, receivedAt, leases, memory }: ClassicContext = {},
): Promise<ClassicMessage> {
  const leased = leases && (await leaseTrustOf(trusting).keysOf(leases))
  memory?.countMessage()
  const search = new SignerSearch(leased ? [trusting, leased] : [trusting], memory)
  const found: FoundAnnotation[] = []
  for (const item of items) found.push(await searchSigner(item, dialect, search))
  const verified = async (one: FoundAnnotation, at: number): Promise<VerifiedAnnotation> => {
    if (one instanceof AlvariumError) throw one
    const { annotation, searched } = one
    if (typeof searched === 'string') throw search.errorFor(searched)
    const { signer, judge } = searched
    const payloadChecked = withSigner(signer, () => compare(annotation, at))
    const signedBy = judge?.annotation(signer, annotation, receivedAt)
    return { ...annotation, signer, payloadChecked, ...(signedBy && { signedBy }) }
  }
  const annotations: ClassicVerdict[] = []
  for (const [at, one] of found.entries()) annotations.push(await verdictOf(verified(one, at)))
  const isCut = found.some((one) => 'searched' in one && one.searched === 'not searched')
  return { ...classicVerdict(annotations, isCut), action, dialect: dialect.name, annotations }
}

/** Annotation with the result of the search for its signer, or the error of reading it. */
type FoundAnnotation = SearchedAnnotation | AlvariumError

interface SearchedAnnotation {
  readonly annotation: ClassicAnnotation
  readonly searched: Awaited<ReturnType<SignerSearch['search']>>
}

async function searchSigner(item: string, dialect: Dialect, search: SignerSearch): Promise<FoundAnnotation> {
  try {
    const read = readAnnotation(item, dialect)
    return { annotation: read.annotation, searched: await search.search(read) }
  } catch (error) {
    if (isVerdict(error)) return error
    throw error
  }
}

async function verdictOf(verified: Promise<VerifiedAnnotation>): Promise<ClassicVerdict> {
  try {
    return { status: 'fulfilled', value: await verified }
  } catch (reason) {
    // Rethrow errors that do not concern the annotation.
    if (!isVerdict(reason)) throw reason
    return { status: 'rejected', reason }
  }
}

/**
 * Returns the comparison with the given payloads. The first annotation of a mutate may be about the previous
 * payload.
 */
function makeComparison(
  { action, dialect }: ReadMessage,
  payload: Uint8Array | undefined,
  previousPayload: Uint8Array | undefined,
): Compare {
  const keysOf = keyFinder(dialect)
  return (annotation, place) => {
    const payloads = action === 'mutate' && place === 0 ? [payload, previousPayload] : [payload]
    return isAbout(annotation, payloads, keysOf)
  }
}

type KeysOf = (payload: Uint8Array, hash: HashName) => readonly string[]

/**
 * Returns a function that computes keys of payloads, each once, because the annotations of a message are
 * about one or two payloads.
 */
function keyFinder(dialect: Dialect): KeysOf {
  const known = new Map<Uint8Array, Map<HashName, string[]>>()
  return (payload, hash) => {
    const byHash = known.get(payload) ?? new Map<HashName, string[]>()
    const keys = byHash.get(hash) ?? payloadKeys(payload, hash, dialect)
    known.set(payload, byHash.set(hash, keys))
    return keys
  }
}

/**
 * Returns whether there was a payload to compare with.
 *
 * @throws AlvariumError `PAYLOAD_MISMATCH` if the annotation is about none of the payloads
 */
function isAbout(
  { key, hash }: ClassicAnnotation,
  payloads: readonly (Uint8Array | undefined)[],
  keysOf: KeysOf,
): boolean {
  const given = payloads.filter((payload) => payload !== undefined)
  if (given.length === 0) return false
  if (given.some((payload) => keysOf(payload, hash).includes(key))) return true
  const about = `the one that this annotation is about, by its ${hash}`
  throw expected('PAYLOAD_MISMATCH', 'payload', about, 'another')
}
