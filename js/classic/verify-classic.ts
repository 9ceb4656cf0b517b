import { copied } from '../base/bytes/join.js'
import { AlvariumError, asSignedBy, assertBytes, expected, isVerdict } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'
import { verifyTurns } from '../base/time/turns.js'
import { leasesIn, takingLeases } from '../keys/given-leases.js'
import type { Keyring } from '../keys/keyring.js'
import {
  closeTrusted,
  type LeaseBook,
  openTrusted,
  receivedMs,
  type SignedBy,
  type Trusting,
  type TrustPolicy,
} from '../keys/trust-policy.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { Action, HashName } from '../model/bundle.js'
import type { Judged } from '../model/outcome.js'
import type { ClassicAnnotation } from './annotation.js'
import type { ClassicDialect, Dialect } from './dialect.js'
import { judgedOf } from './judged.js'
import { payloadKeys } from './payload-keys.js'
import { readAnnotation } from './read-annotation.js'
import { type ReadMessage, readMessage } from './read-message.js'
import type { SearchMemory } from './search-memory.js'
import { SignerSearch } from './signers.js'

/** Whom to trust, and about what. */
export interface VerifyClassicOptions {
  /**
   * The keys to trust, or a trust policy. Classic annotations do not name theirs, so each key may cost a verification: keep it
   * small. Nobody signed the action: a signer of whom a policy lists the actions is refused.
   */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** The payload that the annotations should be about. */
  readonly payload?: Uint8Array | undefined
  /** With `mutate`: the payload that the first annotation, the `src` of what was changed, should be about. */
  readonly previousPayload?: Uint8Array | undefined
  /** When the message was received, as a `Date` or in milliseconds since 1970, for a trust policy. Default: nobody knows. */
  readonly receivedAt?: Date | number | undefined
  /**
   * Leases by which keys that the trust policy does not have may sign, as `verifyMessage` takes them. Each of those keys may cost a
   * verification too.
   */
  readonly leases?: readonly Uint8Array[] | undefined
}

const NAMES = ['keyring', 'receivedAt', 'leases', 'payload', 'previousPayload']

/** An annotation whose signature has been checked; every field but the last two was signed. */
export interface VerifiedAnnotation extends ClassicAnnotation {
  /** Key id of the key that signed it. */
  readonly signer: string
  /**
   * Whether it was also checked to speak about a payload that was given. With hash `none` in Go's dialect, a payload that
   * differs only in upper and lower case has the same key.
   */
  readonly payloadChecked: boolean
  /** Whose key it is, where a trust policy judged the annotation. */
  readonly signedBy?: SignedBy
}

/**
 * The verdict on one annotation: `fulfilled` with it, or `rejected` with an `AlvariumError` of code `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`
 * (no key of the keyring verifies any annotation of the message, so it is altered, or signed by a key that is not here), `SIGNATURE_INVALID`
 * (a key verifies another annotation of the message, and none verifies this one) or `PAYLOAD_MISMATCH`; with a trust policy also
 * `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` or `SIGNER_REVOKED`.
 */
export type ClassicVerdict = PromiseSettledResult<VerifiedAnnotation>

/**
 * A message of the Go, Java, Rust or Python SDK. Its `outcome` is the worst of those of its annotations: `'holds'` if each of them verified.
 * Without any it is `'cannot tell'`.
 */
export interface ClassicMessage extends Judged {
  /** **Nobody signed it**: whoever passed the message on may have changed it. */
  readonly action: Action
  /** Whose rules the message follows; not signed either: Java's annotations can be passed on as Go's. */
  readonly dialect: ClassicDialect
  /** The verdict on each annotation, in the order of the message. Nobody signed that they are all, or once, or in order. */
  readonly annotations: readonly ClassicVerdict[]
}

/**
 * Verifies a message of the Go, Java, Rust or Python SDK, in which each annotation is signed on its own. Where one is
 * bad, the others keep their verdicts.
 *
 * With `payload`, annotations about anything else are rejected. In a `mutate` that is true of the first one, which is
 * about what the payload was made from, unless that is given as `previousPayload`.
 *
 * @throws TypeError when `message` or a payload is not a `Uint8Array`, or `receivedAt` no time
 * @throws AlvariumError `MESSAGE_MALFORMED` when it is no such message (one of ours: {@link verifyMessage}), and
 * `KEY_INVALID` for a key of the keyring that cannot be read, `CONFIG_INVALID` for an option that does not exist, and for leases that
 * are too many or come without a trust policy
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
  const leases = leasesIn(options)
  const read = readMessage(message)
  // Their owner may use them for something else meanwhile.
  const compare = comparing(read, payload && copied(payload), previousPayload && copied(previousPayload))
  await verifyTurns.take()
  const trusting = await openTrusted(keyring)
  try {
    return await verifyRead(read, trusting, { compare, receivedAt, leases })
  } finally {
    closeTrusted(keyring, trusting)
  }
}

/**
 * Compares an annotation with the payload that it should be about.
 *
 * @param place - of the annotation in its message
 * @returns whether there was a payload to compare it with
 * @throws AlvariumError `PAYLOAD_MISMATCH`
 */
type Compare = (annotation: ClassicAnnotation, place: number) => boolean

/** The payload that annotations should be about, when they came, and by which leases others may have signed them. */
interface Circumstances {
  readonly compare?: Compare | undefined
  readonly receivedAt?: number | undefined
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
  /** Shared with other messages of the same pack. */
  readonly memory?: SearchMemory | undefined
}

/** @internal Returns the verdicts on the annotations of a message that was read. */
export async function verifyRead(
  { action, dialect, items }: ReadMessage,
  trusting: Trusting,
  { compare = () => false, receivedAt, leases, memory }: Circumstances = {},
): Promise<ClassicMessage> {
  const leased = leases && (await takingLeases(trusting).keysOf(leases))
  memory?.countMessage()
  const search = new SignerSearch(leased ? [trusting, leased] : [trusting], memory)
  const found: Found[] = []
  for (const item of items) found.push(await foundIn(item, dialect, search))
  const verified = async (one: Found, at: number): Promise<VerifiedAnnotation> => {
    if (one instanceof AlvariumError) throw one
    const { annotation, searched } = one
    if (typeof searched === 'string') throw search.errorFor(searched)
    const { signer, judge } = searched
    const payloadChecked = asSignedBy(signer, () => compare(annotation, at))
    const signedBy = judge?.annotation(signer, annotation, receivedAt)
    return { ...annotation, signer, payloadChecked, ...(signedBy && { signedBy }) }
  }
  const annotations: ClassicVerdict[] = []
  for (const [at, one] of found.entries()) annotations.push(await verdictOf(verified(one, at)))
  const isCut = found.some((one) => 'searched' in one && one.searched === 'not searched')
  return { ...judgedOf(annotations, isCut), action, dialect: dialect.name, annotations }
}

/** An annotation with the result of the search for its signer, or why it cannot be read. */
type Found = SearchedAnnotation | AlvariumError

interface SearchedAnnotation {
  readonly annotation: ClassicAnnotation
  readonly searched: Awaited<ReturnType<SignerSearch['search']>>
}

async function foundIn(item: string, dialect: Dialect, search: SignerSearch): Promise<Found> {
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
    // What is wrong with us says nothing about the annotation.
    if (!isVerdict(reason)) throw reason
    return { status: 'rejected', reason }
  }
}

/** Returns the first annotation of a mutate may be about the payload that was changed. */
function comparing(
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

/** The keys of payloads, each computed once: annotations of a message are about one or two. */
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
 * Whether there was something to compare with.
 *
 * @throws AlvariumError `PAYLOAD_MISMATCH` when the annotation is about none of the payloads
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
