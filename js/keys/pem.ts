import { decodeBase64 } from './base64.js'
import { invalid, type KeyField } from './fault.js'

const BEGIN = '-----BEGIN '
const DASH = 0x2d
/** What every key in DER begins with. */
const DER_SEQUENCE = 0x30
const LABEL = { signingKey: 'PRIVATE KEY', verifyingKey: 'PUBLIC KEY' } as const
/** There is no label that is longer. */
const LONGEST_LABEL = 40

/** Whether this is PEM (RFC 7468), or nothing at all. */
export function isPem(text: Uint8Array): boolean {
  return asciiOf(text, 0, BEGIN.length) === BEGIN
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
  if (label !== LABEL[field]) throw invalid(field, expected, label)
  const der = decodeBase64(body, '+/')
  if (!der) throw invalid(field, 'base64 in the PEM body', 'other characters')
  if (der[0] === DER_SEQUENCE) return der
  der.fill(0)
  throw invalid(field, `${expected} with DER inside`, 'something else inside')
}

/** The label, of which there is none unless it is the same at both ends, and what is between them. */
function partsOf(text: Uint8Array): { readonly label?: string; readonly body: Uint8Array } {
  const labelEnd = text.indexOf(DASH, BEGIN.length)
  if (labelEnd < 0) return { body: text }
  const label = asciiOf(text, BEGIN.length, Math.min(labelEnd, BEGIN.length + LONGEST_LABEL))
  const [start, end] = [labelEnd + 5, text.length - `-----END ${label}-----`.length]
  const body = text.subarray(start, end)
  const isWhole =
    /^[A-Z ]+$/.test(label) &&
    asciiOf(text, labelEnd, start) === '-----' &&
    end > start &&
    asciiOf(text, end, text.length) === `-----END ${label}-----`
  return isWhole && !body.includes(DASH) ? { label, body } : { body }
}

/** Some bytes as text: labels, and what is around them. Never what is between. */
function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}
