import { hasTextAt } from '../../../foundation/base/text/text.js'
import { isEc } from '../ec/der.js'
import { invalid, type KeyField } from '../fault.js'
import { decodeBase64 } from './base64.js'

const BEGIN = '-----BEGIN '
const DASH = 0x2d
const NEW_LINE = 0x0a
const DER_SEQUENCE = 0x30
const LABEL = { signingKey: 'PRIVATE KEY', verifyingKey: 'PUBLIC KEY' } as const
/** PEM labels of SEC 1's container: of RFC 5915 §4, and of OpenSSL 3 for SM2 keys. */
const EC_LABELS = ['EC PRIVATE KEY', 'SM2 PRIVATE KEY']
/** PEM label of OpenSSH's container of private keys (OpenSSH's PROTOCOL.key). */
const OPENSSH_LABEL = 'OPENSSH PRIVATE KEY'
const OF_ANOTHER_FORM = [...EC_LABELS, OPENSSH_LABEL]
const ENCRYPTED_LABEL = 'ENCRYPTED PRIVATE KEY'
/** First header of an encrypted key in the older PEM form (RFC 1421 §4.6.1.1). */
const ENCRYPTED_HEADER = 'Proc-Type: 4,ENCRYPTED'
const DECRYPTION =
  'encrypted: write it without its passphrase (openssl pkey -in encrypted.pem -out private.key)'

/** Function that reads OpenSSH's container. It is a parameter, because code that only verifies does not need it. */
export type OpenContainer = (blob: Uint8Array) => Uint8Array<ArrayBuffer>
/** Maximum length of a PEM label, in characters. Known labels are shorter. */
const MAX_LABEL_LENGTH = 40

/**
 * Returns the text from the beginning of a key's PEM block (RFC 7468), or undefined without PEM. It skips
 * text before the block, where programs that open PKCS#12 write the owner's name (RFC 7468 §2). It also
 * skips a block with the curve, which `openssl ecparam -genkey` writes first.
 */
export function pemIn(text: Uint8Array): Uint8Array | undefined {
  const pem = fromBegin(text)
  const isCurve = pem && labelOf(pem)?.endsWith(' PARAMETERS')
  return isCurve ? (fromBegin(pem.subarray(1)) ?? pem) : pem
}

function fromBegin(text: Uint8Array): Uint8Array | undefined {
  let at = 0
  while (!hasTextAt(BEGIN, text, at)) {
    at = text.indexOf(NEW_LINE, at) + 1
    if (at === 0) return undefined
  }
  return text.subarray(at)
}

/**
 * Decodes PEM without creating a string, because a string with a key cannot be wiped. Returns DER, or for
 * OpenSSH's container the result of `openSsh`.
 */
export function fromPem(text: Uint8Array, field: KeyField, openSsh?: OpenContainer): Uint8Array<ArrayBuffer> {
  const expected = `PEM labelled ${LABEL[field]}`
  const { label, body } = partsOf(text)
  if (isEncrypted(text)) throw invalid(field, expected, `${labelOf(text)}, ${DECRYPTION}`)
  if (label === undefined)
    throw invalid(field, expected, 'PEM that does not end as it begins, or several PEM blocks')
  const isKnown = label === LABEL[field] || (field === 'signingKey' && OF_ANOTHER_FORM.includes(label))
  if (!isKnown) throw invalid(field, expected, label)
  const bytes = decodeBase64(body, '+/')
  if (!bytes) throw invalid(field, 'base64 in the PEM body', 'other characters')
  if (label === OPENSSH_LABEL && openSsh) return useAndWipe(bytes, openSsh)
  const isSec1 = EC_LABELS.includes(label)
  if (bytes[0] === DER_SEQUENCE && (!isSec1 || isEc(bytes))) return bytes
  const { length } = bytes
  bytes.fill(0)
  if (!isSec1) throw invalid(field, `${expected} with DER inside`, 'other bytes inside')
  throw invalid(field, `SEC 1 of P-256, secp256k1 or SM2 in ${label}`, `${length} other bytes`)
}

/** Returns whether a key is encrypted, in either form that OpenSSL writes. This package never asks for a passphrase. */
function isEncrypted(text: Uint8Array): boolean {
  const header = text.indexOf(NEW_LINE) + 1
  return labelOf(text) === ENCRYPTED_LABEL || hasTextAt(ENCRYPTED_HEADER, text, header)
}

function useAndWipe<T>(bytes: Uint8Array, use: (bytes: Uint8Array) => T): T {
  try {
    return use(bytes)
  } finally {
    bytes.fill(0)
  }
}

/** Splits PEM into its label and body. The label is undefined unless it is the same at the beginning and the end. */
function partsOf(text: Uint8Array): { readonly label?: string; readonly body: Uint8Array } {
  const label = labelOf(text)
  if (label === undefined) return { body: text }
  const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`]
  const body = text.subarray(begin.length, Math.max(text.length - end.length, begin.length))
  const isWhole = hasTextAt(begin, text, 0) && hasTextAt(end, text, begin.length + body.length)
  return isWhole && !body.includes(DASH) ? { label, body } : { body }
}

function labelOf(text: Uint8Array): string | undefined {
  const end = text.indexOf(DASH, BEGIN.length)
  const bytes = text.subarray(BEGIN.length, Math.max(end, BEGIN.length))
  if (bytes.length > MAX_LABEL_LENGTH) return undefined
  const label = String.fromCharCode(...bytes)
  return /^[A-Z\d ]+$/.test(label) ? label : undefined
}
