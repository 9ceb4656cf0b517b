import { copyBytes } from '../../foundation/base/bytes/join.js'
import { AlvariumError, assertBytes, describe, isBytes, needs, textOf } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { type Component, identifierOf, type MessageKind } from './components.js'
import { isDigestOf, signedDigest } from './digest.js'
import { invalidSignature } from './fault.js'
import type { HttpKeys } from './named-keys.js'
import type { Rfc9421Options } from './options.js'
import type { MessageParts } from './response.js'
import { assertAlgorithm, assertCovers, assertTimely, type Claim } from './signed.js'
import type { VerifiedRequest } from './verified.js'

interface ClaimRequirements {
  readonly kind: MessageKind
  readonly keys: HttpKeys
  readonly components: readonly Component[]
  readonly maxAgeMs?: number | undefined
  readonly clockSkewMs: number
  readonly isNonceFresh?: Rfc9421Options['isNonceFresh']
  readonly nonceTimeoutMs?: number | undefined
}

/**
 * Verifies the signature of an HTTP request or response. Checks short fields first, then parts that an
 * attacker can make long. Calls `isNonceFresh` last, and only if everything else is valid.
 *
 * @throws AlvariumError as `verifyRequest` does
 */
export async function verifyClaim(
  claim: Claim,
  body: Uint8Array | undefined,
  required: ClaimRequirements,
): Promise<VerifiedRequest> {
  const { keyid: keyId, alg, created, expires, nonce, tag } = claim.parameters
  if (keyId === undefined) throw needs('signature-input', 'the parameter keyid', 'SIGNATURE_INVALID')
  const signedAt = created === undefined ? undefined : created * 1000
  const found = required.keys.get(keyId, alg, signedAt)
  const isKnown = !(found instanceof Promise)
  // Copy the body before the first `await`, because the caller may change it afterwards.
  const given = isKnown || !isBytes(body) ? body : copyBody(body)
  const key = isKnown ? found : await found
  assertAlgorithm(claim, key.algorithm)
  assertCovers(claim, required.components)
  const now = Date.now()
  assertTimely(claim, required, now)
  const { bytes, signature } = claim.proof()
  const digest = signedDigest(claim.components, claim.parts)
  const answer = signature.length === 64 && key.verifies(bytes, signature)
  const isDone = typeof answer === 'boolean'
  const signedBody = isDone || !isKnown || digest === undefined || !isBytes(given) ? given : copyBody(given)
  const isVerified = isDone ? answer : await answer
  if (!isVerified)
    throw new AlvariumError(
      'SIGNATURE_INVALID',
      `signature: does not verify with the key ${keyId} over this ${required.kind}`,
    )
  const signedBy = key.accept?.(signedAt, now)
  if (digest !== undefined) await assertBody(signedBody, digest, claim.parts)
  await assertFresh(required, nonce, keyId)
  const { label } = claim
  const components = claim.components.map(identifierOf)
  return { keyId, components, ...withoutUndefined({ created, expires, nonce, tag, label, signedBy }) }
}

function copyBody(body: Uint8Array): Uint8Array {
  assertBytes(body, 'body')
  return copyBytes(body)
}

function withoutUndefined<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}

async function assertBody(body: Uint8Array | undefined, digest: string, parts: MessageParts): Promise<void> {
  assertBytes(body, 'body')
  if (await isDigestOf(body, digest)) return
  const text = `body: does not match the signed content-digest${decodingHint(parts)}`
  throw new AlvariumError('PAYLOAD_MISMATCH', text)
}

/**
 * Returns a hint that fetch may have decoded the body, if the headers state a content encoding. The digest covers the
 * encoded body (RFC 9530, 2).
 */
function decodingHint({ fields }: MessageParts): string {
  const coding = fields.lines('content-encoding').join(', ')
  if (coding === '' || coding.toLowerCase() === 'identity') return ''
  return ` (it was sent in content-encoding ${quote(coding)}, which fetch decodes: give the bytes as sent, or ask with accept-encoding: identity)`
}

/** Asserts that `isNonceFresh`, if given, answers `true` for the message's nonce. */
async function assertFresh(
  required: ClaimRequirements,
  nonce: string | undefined,
  keyId: string,
): Promise<void> {
  const { isNonceFresh, nonceTimeoutMs = 0 } = required
  if (!isNonceFresh) return
  if (nonce === undefined) throw needs('signature-input', 'a nonce', 'SIGNATURE_INVALID')
  const answer = await answerOf(async () => isNonceFresh(nonce, keyId), nonceTimeoutMs)
  if (answer === true) return
  if (answer === false) throw invalidSignature('nonce', 'a new nonce', 'a nonce that was used before')
  throw invalidSignature('nonce', 'true or false from isNonceFresh', describe(answer))
}

async function answerOf(ask: () => Promise<unknown>, timeoutMs: number): Promise<unknown> {
  const expected = 'an answer from isNonceFresh'
  try {
    const answer = await within(ask(), timeoutMs)
    if (answer !== TOO_LATE) return answer
  } catch (cause) {
    throw invalidSignature('nonce', expected, `an error: ${textOf(cause)}`, cause)
  }
  throw invalidSignature('nonce', expected, `no answer within ${timeoutMs} ms`)
}
