import { copyBytes } from '../../foundation/base/bytes/join.js'
import { AlvariumError, assertBytes, verdictIn, withSigner } from '../../foundation/base/errors.js'
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

/** Options of {@link verifyClassic}: trusted keys, and payloads to compare. */
export interface VerifyClassicOptions {
  /**
   * Trusted keys, or a trust policy. Annotations do not name their keys, so each key may cost a verification.
   * The action is unsigned, so signers with a list of actions in the policy are refused.
   */
  readonly keyring: Keyring | TrustPolicy | readonly VerifyingKeyInput[]
  /** Payload that the annotations must be about. */
  readonly payload?: Uint8Array | undefined
  /** Payload that a `mutate` has changed. The first annotation (`src`) may be about this payload. */
  readonly previousPayload?: Uint8Array | undefined
  /** Time of receipt for a trust policy: a `Date`, or milliseconds since 1970. Default: unknown. */
  readonly receivedAt?: Date | number | undefined
  /** Leases, as for `verifyMessage`. Each leased key may cost a verification. */
  readonly leases?: readonly Uint8Array[] | undefined
}

const NAMES = ['keyring', 'receivedAt', 'leases', 'payload', 'previousPayload']

/** Verified annotation. Its signature covers all members except `signer`, `payloadChecked` and `signedBy`. */
export interface VerifiedAnnotation extends ClassicAnnotation {
  /** Key id of the key that signed the annotation. */
  readonly signer: string
  /**
   * True if the caller gave a payload and `key` matches it. With Go's hash `none`, letters match in upper or lower
   * case.
   */
  readonly payloadChecked: boolean
  /** Owner of the key; present if a trust policy was used. */
  readonly signedBy?: SignedBy
}

/**
 * Verdict on an annotation: `fulfilled`, or `rejected` with an `AlvariumError` of one of these codes:
 *
 * - `MESSAGE_MALFORMED`, `PAYLOAD_MISMATCH`
 * - `SIGNER_UNKNOWN`: no trusted key verifies any annotation of the message, or limits forbid the search
 * - `SIGNATURE_INVALID`: a key verifies another annotation of the message, but no key verifies this one
 * - with a trust policy also `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` or `SIGNER_REVOKED`
 */
export type ClassicVerdict = PromiseSettledResult<VerifiedAnnotation>

/**
 * Message of the Go, Java, Rust or Python SDK with verdicts. `outcome` is the worst outcome of the
 * annotations: `'holds'` if all of them verified, `'cannot tell'` if there are none.
 */
export interface ClassicMessage extends Judged {
  /** Action of the message. It is **unsigned**: anyone who forwarded the message may have changed it. */
  readonly action: Action
  /** Dialect of the message. It is unsigned, like the action: anyone can forward Java's annotations as Go's. */
  readonly dialect: ClassicDialect
  /** Verdicts on the annotations, in order. The order is unsigned, and annotations may be missing. */
  readonly annotations: readonly ClassicVerdict[]
}

/**
 * Verifies a message of the Go, Java, Rust or Python SDK. Each annotation has its own signature and verdict.
 *
 * With `payload`, annotations about other payloads are rejected. The first annotation of a `mutate` is about
 * the previous payload: pass it as `previousPayload`.
 *
 * @throws TypeError if `message` or a payload is not a `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError `MESSAGE_MALFORMED` for any other message (for bundles, use {@link verifyMessage});
 * `KEY_INVALID` for an unreadable key of the keyring; `CONFIG_INVALID` for an unknown option, for too many
 * leases, and for leases without a trust policy
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
  // Copy the payloads, because the caller may reuse their memory while this function waits.
  const compare = makeComparison(
    read,
    payload && copyBytes(payload),
    previousPayload && copyBytes(previousPayload),
  )
  await verifyTurns.yieldIfDue()
  const trusting = await openTrusted(keyring)
  try {
    return await verifyRead(read, trusting, { compare, receivedAt, leases })
  } finally {
    closeTrusted(keyring, trusting)
  }
}

/**
 * Compares an annotation with the payload that the caller expects.
 *
 * @param place - index of the annotation in its message
 * @returns false if the caller gave no payload to compare
 */
type Compare = (annotation: ClassicAnnotation, place: number) => boolean

export interface ClassicContext {
  readonly compare?: Compare | undefined
  /** Time of receipt in milliseconds since 1970. */
  readonly receivedAt?: number | undefined
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
  readonly memory?: SearchMemory | undefined
}

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
  const annotations = found.map((one, at): ClassicVerdict => {
    if (one instanceof AlvariumError) return { status: 'rejected', reason: one }
    const { annotation, searched } = one
    if (typeof searched === 'string') return { status: 'rejected', reason: search.errorFor(searched) }
    const { signer, judge } = searched
    try {
      const payloadChecked = withSigner(signer, () => compare(annotation, at))
      const signedBy = judge?.annotation(signer, annotation, receivedAt)
      const value = { ...annotation, signer, payloadChecked, ...(signedBy && { signedBy }) }
      return { status: 'fulfilled', value }
    } catch (error) {
      return { status: 'rejected', reason: verdictIn(error) }
    }
  })
  const isCut = found.some((one) => 'searched' in one && one.searched === 'not searched')
  return { ...classicVerdict(annotations, isCut), action, dialect: dialect.name, annotations }
}

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
    return verdictIn(error)
  }
}

/** Returns a function that compares annotations with `payload`, and the first also with `previousPayload`. */
function makeComparison(
  { action, dialect }: ReadMessage,
  payload: Uint8Array | undefined,
  previousPayload: Uint8Array | undefined,
): Compare {
  const own = payload && keyFinder(payload, dialect)
  const previous = previousPayload && keyFinder(previousPayload, dialect)
  return ({ key, hash }, place) => {
    const given = [own, action === 'mutate' && place === 0 ? previous : undefined].filter(Boolean)
    if (given.length === 0) return false
    if (given.some((keysBy) => keysBy?.(hash).includes(key))) return true
    throw new AlvariumError('PAYLOAD_MISMATCH', `payload: does not match the ${hash} key of this annotation`)
  }
}

/** Returns a function that computes the payload keys of a payload, only once for each hash. */
function keyFinder(payload: Uint8Array, dialect: Dialect): (hash: HashName) => readonly string[] {
  const known = new Map<HashName, readonly string[]>()
  return (hash) => {
    const keys = known.get(hash) ?? payloadKeys(payload, hash, dialect)
    known.set(hash, keys)
    return keys
  }
}
