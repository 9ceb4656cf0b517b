import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { milliseconds, nanoseconds } from '../../foundation/base/time/timestamp.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import type { ClassicAnnotation } from './annotation.js'
import type { Dialect } from './dialect.js'
import { formatTimestamp } from './timestamp.js'

/**
 * Returns a bundle's annotations as the SDK of the dialect would write them.
 *
 * @param signature - the signature of the bundle, in hexadecimal
 * @param tag - tag of the `src` annotation of a `mutate`, for a bundle without annotations
 * @throws AlvariumError `CODEC_FAILED` if the dialect cannot express a member; for a `mutate`, also
 * `CONFIG_INVALID` of {@link previousKeyOf}
 */
export function annotationsOf(
  bundle: Omit<Bundle, 'signer'>,
  signature: string,
  dialect: Dialect,
  tag: string,
): ClassicAnnotation[] {
  assertExpressible(bundle, dialect, tag)
  const { action, hash, host, layer } = bundle
  const timestamp = formatTimestamp(bundle.timestamp, dialect)
  const common = { hash, host, layer, timestamp, key: dialect.key(bundle.key, hash) }
  const annotations = bundle.annotations.map((annotation) => ({ ...common, ...annotation }))
  if (action !== 'mutate') return annotations
  const source = {
    ...common,
    id: ulidOf(bundle.timestamp, signature),
    key: dialect.key(previousKeyOf(bundle), hash),
    tag: annotations[0]?.tag ?? tag,
    kind: 'src',
    isSatisfied: true,
  }
  return [source, ...annotations.filter(({ kind }) => kind !== 'tls')]
}

function previousKeyOf({ previousKey, inputs, hash }: Omit<Bundle, 'signer'>): string {
  if (previousKey !== undefined) return previousKey
  const [only, ...others] = inputs ?? []
  if (only && 'key' in only && only.hash === hash && others.length === 0) return only.key
  const got = others.length > 0 ? `${others.length + 1} inputs` : 'a set, or a payload with another hash'
  throw expected(
    'CONFIG_INVALID',
    'inputs',
    `one payload with the hash ${hash}, because of the codec classic()`,
    got,
  )
}

function assertExpressible(
  { layer, annotations }: Omit<Bundle, 'signer'>,
  { name, members }: Dialect,
  ofCall: string,
): void {
  if (members.includes('tag') && members.includes('layer')) return
  const tag = annotations.find((annotation) => annotation.tag !== '')?.tag ?? (ofCall || undefined)
  if (tag === undefined && layer === 'app') return
  const [field, got] = tag === undefined ? ['layer', layer] : ['tag', tag]
  const text = `${field}: classic messages of ${name} have no ${field}, got ${JSON.stringify(got)}`
  throw new AlvariumError('CODEC_FAILED', text)
}

const ULID_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns a ULID for the `src` annotation that bundles lack. The ULID has the time of the bundle, and the first
 * 80 bits of the bundle's signature in place of random bits. Equal messages thus get equal encodings.
 */
function ulidOf(timestamp: string, signature: string): string {
  const bits =
    (BigInt(milliseconds(nanoseconds(timestamp) as bigint)) << 80n) | BigInt(`0x${signature.slice(0, 20)}`)
  const digit = (at: number) => ULID_DIGITS[Number((bits >> BigInt(5 * (25 - at))) & 31n)]
  return Array.from({ length: 26 }, (_, at) => digit(at)).join('')
}
