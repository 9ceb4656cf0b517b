import { toBytes } from '../base/hex.js'
import { onlyLine, parseInput, seedOf } from './alvarium.js'
import { type Component, identifierOf, parseComponent } from './components.js'
import { signedDigest } from './digest.js'
import { malformed, quoted, unsatisfying } from './fault.js'
import type { PkiHttpSettings } from './options.js'
import type { RequestParts } from './request.js'
import { type SignatureParameters, signatureOf } from './rfc9421.js'

/** What a request's headers say, in either format, before anything of it is believed. */
export interface Signed {
  /** Identifiers of what is signed, each once. */
  readonly components: readonly string[]
  readonly parameters: SignatureParameters
  readonly label?: string
  readonly bytes: Uint8Array
  readonly signature: Uint8Array
  /** As much of `Content-Digest` as is signed. */
  readonly digest: string | undefined
}

/** How one that is signed is written, to compare it with those that are wanted. */
export function wantedComponents({ components = [] }: PkiHttpSettings): readonly string[] {
  return components.map((name) => identifierOf(parseComponent(name, 'pkiHttp.components')))
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readSigned(parts: RequestParts, settings: PkiHttpSettings): Signed {
  if (settings.format === 'alvarium') return fromAlvarium(parts, settings.dialect)
  const { components, base, ...rest } = signatureOf(parts, settings)
  const digest = signedDigest(components, parts)
  return { ...rest, bytes: base, components: components.map(identifierOf), digest }
}

function fromAlvarium(parts: RequestParts, dialect: Parameters<typeof seedOf>[2]): Signed {
  const input = parseInput(onlyLine(parts, 'signature-input'))
  const hex = onlyLine(parts, 'signature')
  const signature = toBytes(hex)
  if (signature?.length !== 64) {
    throw malformed('signature', '128 hexadecimal digits', quoted(hex))
  }
  const { keyId: keyid, alg, created, expires } = input
  const components = input.fields.map((name): Component => [name.toLowerCase(), new Map()])
  return {
    components: components.map(identifierOf),
    parameters: { keyid, alg, created, expires },
    bytes: new TextEncoder().encode(seedOf(input, parts, dialect)),
    signature,
    digest: signedDigest(components, parts),
  }
}

/** @throws AlvariumError `SIGNATURE_INVALID` when something that has to be is not signed */
export function assertCovers({ components }: Signed, wanted: readonly string[]): void {
  const missing = wanted.filter((one) => !components.includes(one))
  if (missing.length === 0) return
  throw unsatisfying('signature-input', `${missing.join(' ')} among what is signed`, components.join(' '))
}

/** All keys here are Ed25519's, whatever a request says. */
export function assertAlgorithm({ parameters: { alg } }: Signed): void {
  if (alg === undefined || alg === 'ed25519') return
  throw unsatisfying('signature-input', 'alg ed25519', quoted(alg))
}

/**
 * @param now - in milliseconds since 1970
 * @throws AlvariumError `SIGNATURE_INVALID` outside of the time in which it is good
 */
export function assertTimely({ parameters }: Signed, settings: PkiHttpSettings, now: number): void {
  const { maxAgeMs, clockSkewMs } = settings
  const { created, expires } = parameters
  if (expires !== undefined && now > expires * 1000 + clockSkewMs) {
    throw unsatisfying('expires', `a time after ${Math.floor(now / 1000)}`, `${expires}`)
  }
  if (maxAgeMs === undefined) return
  if (created === undefined) throw unsatisfying('created', 'the time of the signature', 'none')
  const ageMs = now - created * 1000
  if (ageMs >= -clockSkewMs && ageMs <= maxAgeMs + clockSkewMs) return
  const expected = `a time at most ${maxAgeMs} ms before now (${Math.floor(now / 1000)}), and not after it`
  throw unsatisfying('created', expected, `${created}`)
}
