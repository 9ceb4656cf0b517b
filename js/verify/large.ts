import { messagesOf } from '../base/bytes/join.js'
import { AlvariumError, type ErrorCode } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import { hold, Longest, withCore } from '../core/core.js'
import { assertSigned } from '../keys/assert-signed.js'
import { SIGNATURE_LENGTH } from '../keys/ec-verifier.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import { type Verifying, verifyOne } from './one.js'
import { assertFew, cutting, inPart, LARGE_BYTES, type Parts } from './parts.js'

const ID_LENGTH = 32

/** What a batch claims. */
interface Claims {
  readonly signer: string
  readonly signature: Uint8Array
  /** What should have been signed. */
  readonly identity: Uint8Array
  /** The bundles of each part, as JSON. */
  readonly bundles: readonly Uint8Array[]
}

/**
 * Verifies a message that may take long: a batch in parts, so that timers and sockets get their turn between them. What it
 * says is given when all of it has been verified, or not at all.
 *
 * @throws AlvariumError as {@link verifyOne}
 */
export async function verifyLarge(trusted: Verifying, text: Uint8Array): Promise<IdentifiedBundle[]> {
  const parts = await inTurns(cutting(text))
  if (!parts || !isBatch(trusted, parts, text.length)) return JSON.parse(verifyOne(trusted, text))
  const claims = await claimsOf(trusted, parts)
  assertSigned(trusted, claims.signer, claims.identity, claims.signature)
  const bundles: IdentifiedBundle[] = []
  for (const some of claims.bundles) {
    await verifyTurns.takeLong()
    for (const bundle of JSON.parse(new TextDecoder().decode(some)) as IdentifiedBundle[])
      bundles.push(bundle)
  }
  const [first] = bundles
  if (first) identities.set(first, claims.identity)
  return bundles
}

/** By the first bundle of large batches. */
const identities = new WeakMap<object, Uint8Array>()

/**
 * What was signed for a message that has been verified. That of a large batch is known then, unless a worker has verified it: to compute it
 * once more would take long.
 */
export function identityOf(first: object | undefined, text: () => Uint8Array): Uint8Array {
  return (first && identities.get(first)) ?? withCore((core) => core.identityOf(text()))
}

/**
 * The key id of whoever should have signed a message that may be long. Nothing is hashed for it.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export async function claimantOf(trusted: Pick<Verifying, 'use'>, text: Uint8Array): Promise<string> {
  const parts = text.length > LARGE_BYTES ? await inTurns(cutting(text)) : undefined
  return trusted.use((verifier) => verifier.claimant(parts?.first ?? text))
}

/**
 * Whether it is a batch of somebody who is trusted, asked of its first bundle alone: before anything else is read or hashed.
 * The signature is not over that one, unless there is no other.
 */
function isBatch(trusted: Verifying, { first }: Parts, length: number): boolean {
  const verdict = codeOf(() => verifyOne(trusted, first), ['SIGNATURE_INVALID', 'MESSAGE_MALFORMED'])
  // Nothing else may be as long.
  if (length > Longest.Message) return true
  if (verdict === 'MESSAGE_MALFORMED') return false
  return !codeOf(() => trusted.use((verifier) => verifier.claimed(first, true)), ['MESSAGE_MALFORMED'])
}

/** Takes step after step, so that timers and sockets get their turn in between. Resolves with what they come to. */
async function inTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    await verifyTurns.takeLong()
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The code of the error, if it has one of these; others are thrown. */
function codeOf(run: () => unknown, codes: readonly ErrorCode[]): ErrorCode | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof AlvariumError && codes.includes(error.code)) return error.code
    throw error
  }
}

async function claimsOf(trusted: Verifying, parts: Parts): Promise<Claims> {
  const tree = hold((core) => new core.Tree())
  try {
    const bundles: Uint8Array[] = []
    let [signed, count] = [new Uint8Array(), 0]
    for (let at = 0; at < parts.count; at++) {
      await verifyTurns.takeLong()
      const [ids, itsSigned, some] = claimedBy(trusted, parts.part(at), count)
      signed = itsSigned
      bundles.push(some)
      count += ids.length / ID_LENGTH
      assertFew(count)
      withCore(() => tree.object.grow(ids))
    }
    const signer = new TextDecoder().decode(signed.subarray(SIGNATURE_LENGTH))
    const identity = withCore(() => {
      tree.object.end()
      return tree.object.identity(signer)
    })
    return { signer, signature: signed.subarray(0, SIGNATURE_LENGTH), identity, bundles }
  } finally {
    tree.release()
  }
}

/** What a part claims: ids, signature and signer, and bundles. */
function claimedBy(trusted: Verifying, part: Uint8Array, before: number) {
  const claimed = inPart(before, () => trusted.use((verifier) => verifier.claimed(part, true)))
  return messagesOf(claimed) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]
}
