import { decodeBase64 } from './base64.js'
import { invalid, type KeyField } from './fault.js'

const BEGIN = '-----BEGIN '
const DASH = 0x2d
/** What every key in DER begins with. */
const DER_SEQUENCE = 0x30
const LABEL = { signingKey: 'PRIVATE KEY', verifyingKey: 'PUBLIC KEY' } as const
/** SEC 1's own container (RFC 5915 §4). */
const EC_LABEL = 'EC PRIVATE KEY'
/** There is no label that is longer. */
const LONGEST_LABEL = 40

/** Whether this begins as PEM does (RFC 7468). */
export function isPem(text: Uint8Array): boolean {
  return stands(BEGIN, text, 0)
}

/**
 * The DER inside PEM, from bytes to bytes: what is in a string stays in memory until other strings take its place.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function fromPem(text: Uint8Array, field: KeyField): Uint8Array<ArrayBuffer> {
  const expected = `PEM labelled ${LABEL[field]}`
  const { label, body } = partsOf(text)
  if (label === undefined) throw invalid(field, expected, 'PEM that does not end as it begins')
  const isKnown = label === LABEL[field] || (label === EC_LABEL && field === 'signingKey')
  if (!isKnown) throw invalid(field, expected, label)
  const der = decodeBase64(body, '+/')
  if (!der) throw invalid(field, 'base64 in the PEM body', 'other characters')
  if (der[0] === DER_SEQUENCE) return der
  der.fill(0)
  throw invalid(field, `${expected} with DER inside`, 'something else inside')
}

/** The label, of which there is none unless it is the same at both ends, and what is between them. */
function partsOf(text: Uint8Array): { readonly label?: string; readonly body: Uint8Array } {
  const labelEnd = text.indexOf(DASH, BEGIN.length)
  const label = labelAt(text.subarray(BEGIN.length, Math.max(labelEnd, BEGIN.length)))
  if (label === undefined) return { body: text }
  const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`]
  const body = text.subarray(begin.length, Math.max(text.length - end.length, begin.length))
  const isWhole = stands(begin, text, 0) && stands(end, text, begin.length + body.length)
  return isWhole && !body.includes(DASH) ? { label, body } : { body }
}

function labelAt(bytes: Uint8Array): string | undefined {
  if (bytes.length > LONGEST_LABEL) return undefined
  const label = String.fromCharCode(...bytes)
  return /^[A-Z ]+$/.test(label) ? label : undefined
}

/** Whether a text of ASCII stands there. Of the bytes, which may be a key, no string is made. */
function stands(expected: string, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected.charCodeAt(index)) return false
  }
  return true
}
