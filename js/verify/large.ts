import { AlvariumError, type ErrorCode } from '../base/errors.js'
import { join, messagesOf } from '../base/join.js'
import { withCore } from '../core/core.js'
import { SIGNATURE_LENGTH, unverified } from '../keys/other-verifier.js'
import { turns } from '../keys/turns.js'
import type { IdentifiedBundle } from '../model/bundle.js'
import { type Verifying, verifyOne } from './one.js'
import { type Parts, partsOf } from './parts.js'

/** A message up to here takes a few milliseconds, and is verified as a whole. */
export const LARGE_BYTES = 256 * 1024
/** FORMAT.md, Limits: only a batch may be longer. */
const LONGEST_BUNDLE = 2 * 1024 * 1024
const MOST_BUNDLES = 65_536
const ID_LENGTH = 32

/** What a batch claims. */
interface Claims {
  readonly signer: string
  readonly signature: Uint8Array
  /** One behind the other. */
  readonly ids: Uint8Array
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
  const parts = await partsOf(text)
  if (!parts || !isBatch(trusted, parts, text.length)) return JSON.parse(verifyOne(trusted, text))
  const claims = await claimsOf(trusted, parts)
  checkSignature(trusted, claims)
  const bundles: IdentifiedBundle[] = []
  for (const some of claims.bundles) {
    await turns.overForLong
    for (const bundle of JSON.parse(new TextDecoder().decode(some)) as IdentifiedBundle[])
      bundles.push(bundle)
  }
  return bundles
}

/**
 * Whether it is a batch of somebody who is trusted, asked of its first bundle alone: before anything else is read or hashed.
 * The signature is not over that one, unless there is no other.
 */
function isBatch(trusted: Verifying, { first }: Parts, length: number): boolean {
  const verdict = codeOf(() => verifyOne(trusted, first), ['SIGNATURE_INVALID', 'MESSAGE_MALFORMED'])
  if (length > LONGEST_BUNDLE) return true
  if (verdict === 'MESSAGE_MALFORMED') return false
  return !codeOf(() => trusted.use((verifier) => verifier.claimed(first, true)), ['MESSAGE_MALFORMED'])
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
  const [ids, bundles]: [Uint8Array[], Uint8Array[]] = [[], []]
  let [signed, count] = [new Uint8Array(), 0]
  for (let at = 0; at < parts.count; at++) {
    await turns.overForLong
    const claimed = claimedBy(trusted, parts.part(at), count)
    ids.push(claimed[0])
    signed = claimed[1]
    bundles.push(claimed[2])
    count += claimed[0].length / ID_LENGTH
    if (count > MOST_BUNDLES) {
      throw new AlvariumError(
        'MESSAGE_MALFORMED',
        `message: bundles: expected at most ${MOST_BUNDLES}, got more`,
      )
    }
  }
  const signer = new TextDecoder().decode(signed.subarray(SIGNATURE_LENGTH))
  return { signer, signature: signed.subarray(0, SIGNATURE_LENGTH), ids: join(ids).bytes, bundles }
}

/** What a part claims: ids, signature and signer, and bundles. */
function claimedBy(trusted: Verifying, part: Uint8Array, before: number) {
  try {
    const claimed = trusted.use((verifier) => verifier.claimed(part, true))
    return messagesOf(claimed) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'MESSAGE_MALFORMED') throw error
    const text = `${error.message}, counted in the part that begins with bundle ${before}`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
}

function checkSignature(trusted: Verifying, { signer, signature, ids }: Claims): void {
  const identity = withCore((core) => core.batchIdentity(signer, ids))
  if (trusted.use((verifier) => verifier.verifies(signer, identity, signature))) return
  if (!trusted.others?.knows(signer)) throw unverified(signer)
  trusted.others.check(signer, identity, signature)
}
