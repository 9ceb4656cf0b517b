import { toBytes } from '../../foundation/base/bytes/hex.js'
import { malformed, needs } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { type HttpDialect, parseInput, signatureBaseOf, singleLine } from './alvarium.js'
import { type Component, canonicalIdentifier, identifierOf, type MessageKind } from './components.js'
import { invalidSignature } from './fault.js'
import type { HttpAlgorithm } from './named-keys.js'
import type { PkiHttpSettings } from './options.js'
import type { RequestParts } from './request.js'
import type { MessageParts } from './response.js'
import { baseOf, inputOf, type SignatureChoice, type SignatureParameters, signatureUnder } from './rfc9421.js'

/** Unverified contents of `Signature-Input`. They are checked before `proof` reads the rest of the message. */
export interface Claim {
  readonly components: readonly Component[]
  readonly parameters: SignatureParameters
  readonly label?: string
  readonly parts: MessageParts
  /** Reads the signature and the signed bytes. */
  proof(): { readonly signature: Uint8Array; readonly bytes: Uint8Array }
}

/** Reads the {@link Claim} of a request in the format that the settings state. */
export function claimIn(parts: RequestParts, settings: PkiHttpSettings): Claim {
  return settings.format === 'alvarium'
    ? claimOfAlvarium(parts, settings.dialect)
    : claimOfRfc9421(parts, 'request', settings)
}

export function claimOfRfc9421(parts: MessageParts, kind: MessageKind, choice: SignatureChoice): Claim {
  const input = inputOf(parts.fields, kind, choice)
  const { label, components, parameters } = input
  const proof = () => ({ signature: signatureUnder(label, parts.fields), bytes: baseOf(input, parts) })
  return { label, components, parameters, parts, proof }
}

function claimOfAlvarium(parts: RequestParts, dialect: HttpDialect): Claim {
  const input = parseInput(singleLine(parts, 'signature-input'))
  const { keyId: keyid, alg, created, expires } = input
  const components = input.fields.map((name): Component => [name.toLowerCase(), new Map()])
  const proof = () => ({
    signature: hexSignature(parts),
    bytes: new TextEncoder().encode(signatureBaseOf(input, parts, dialect)),
  })
  return { components, parameters: { keyid, alg, created, expires }, parts, proof }
}

function hexSignature(parts: RequestParts): Uint8Array {
  const hex = singleLine(parts, 'signature')
  const signature = toBytes(hex)
  if (signature?.length === 64) return signature
  throw malformed('signature', '128 hexadecimal digits', quote(hex))
}

/**
 * Asserts that a claim covers all required components.
 * @throws AlvariumError `SIGNATURE_INVALID` naming the missing components
 */
export function assertCovers({ components }: Claim, required: readonly Component[]): void {
  const covered = new Set(components.map(canonicalIdentifier))
  const missing = required.filter((one) => !covered.has(canonicalIdentifier(one)))
  if (missing.length === 0) return
  const [expected, got] = [missing, components].map((list) => list.map(identifierOf).join(' '))
  throw invalidSignature('signature-input', `${expected} among the signed components`, `${got}`)
}

export function assertAlgorithm({ parameters: { alg } }: Claim, algorithm: HttpAlgorithm): void {
  if (alg === undefined || alg === algorithm) return
  throw invalidSignature('signature-input', `alg ${algorithm}`, quote(alg))
}

/**
 * Asserts that a signature is valid now. It is valid from `created` until `maxAgeMs` later or an earlier
 * `expires`, with `clockSkewMs` of tolerance on either side.
 *
 * @param now - in milliseconds since 1970
 * @throws AlvariumError `SIGNATURE_INVALID` outside of that time
 */
export function assertTimely(
  { parameters: { created, expires } }: Claim,
  { maxAgeMs, clockSkewMs }: { maxAgeMs?: number | undefined; clockSkewMs: number },
  now: number,
): void {
  if (expires !== undefined && created !== undefined && expires < created) {
    throw invalidSignature('expires', `a time not before created (${created})`, `${expires}`)
  }
  if (expires !== undefined && now > expires * 1000 + clockSkewMs) {
    throw invalidSignature('expires', `a time after ${Math.floor(now / 1000)}`, `${expires}`)
  }
  if (maxAgeMs === undefined) return
  if (created === undefined) throw needs('created', 'the time of the signature', 'SIGNATURE_INVALID')
  const ageMs = now - created * 1000
  if (ageMs >= -clockSkewMs && ageMs <= maxAgeMs + clockSkewMs) return
  const expected = `a time at most ${maxAgeMs} ms before now (${Math.floor(now / 1000)}), and not after it`
  throw invalidSignature('created', expected, `${created}`)
}
