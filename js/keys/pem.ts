import { decodeBase64 } from './base64.js'
import { isEc } from './ec-der.js'
import { invalid, type KeyField } from './fault.js'
import { stands } from './secret.js'

const BEGIN = '-----BEGIN '
const DASH = 0x2d
const NEW_LINE = 0x0a
/** What every key in DER begins with. */
const DER_SEQUENCE = 0x30
const LABEL = { signingKey: 'PRIVATE KEY', verifyingKey: 'PUBLIC KEY' } as const
/** SEC 1's own container (RFC 5915 §4), and what OpenSSL 3 calls it around a key of SM2. */
const EC_LABELS = ['EC PRIVATE KEY', 'SM2 PRIVATE KEY']
/** OpenSSH's own container of private keys (its PROTOCOL.key). */
const OPENSSH_LABEL = 'OPENSSH PRIVATE KEY'
const OF_ANOTHER_FORM = [...EC_LABELS, OPENSSH_LABEL]
const ENCRYPTED_LABEL = 'ENCRYPTED PRIVATE KEY'
/** How the block of an encrypted key of the older form begins (RFC 1421 §4.6.1.1). */
const ENCRYPTED_HEADER = 'Proc-Type: 4,ENCRYPTED'
const DECRYPTION =
  'encrypted: write it without its passphrase (openssl pkey -in encrypted.pem -out private.key)'

/** What is in a container, whose bytes are wiped then: handed in, as who only verifies has no use for it. */
export type OpenContainer = (blob: Uint8Array) => Uint8Array<ArrayBuffer>
/** There is no label that is longer. */
const LONGEST_LABEL = 40

/**
 * From where the PEM of a key begins (RFC 7468); undefined when there is none. What is said before it is left out (§2: programs
 * that open PKCS#12 name its owner there), and so is the curve, which `openssl ecparam -genkey` writes a second time.
 */
export function pemIn(text: Uint8Array): Uint8Array | undefined {
  const pem = fromBegin(text)
  const isCurve = pem && labelOf(pem)?.endsWith(' PARAMETERS')
  return isCurve ? (fromBegin(pem.subarray(1)) ?? pem) : pem
}

/** From the first line on that begins a block. */
function fromBegin(text: Uint8Array): Uint8Array | undefined {
  let at = 0
  while (!stands(BEGIN, text, at)) {
    at = text.indexOf(NEW_LINE, at) + 1
    if (at === 0) return undefined
  }
  return text.subarray(at)
}

/**
 * The DER inside PEM, from bytes to bytes: what is in a string stays in memory until other strings take its place.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function fromPem(text: Uint8Array, field: KeyField, openSsh?: OpenContainer): Uint8Array<ArrayBuffer> {
  const expected = `PEM labelled ${LABEL[field]}`
  const { label, body } = partsOf(text)
  if (isEncrypted(text)) throw invalid(field, expected, `${labelOf(text)}, ${DECRYPTION}`)
  if (label === undefined)
    throw invalid(field, expected, 'PEM that does not end as it begins, or more than one')
  const isKnown = label === LABEL[field] || (field === 'signingKey' && OF_ANOTHER_FORM.includes(label))
  if (!isKnown) throw invalid(field, expected, label)
  const bytes = decodeBase64(body, '+/')
  if (!bytes) throw invalid(field, 'base64 in the PEM body', 'other characters')
  if (label === OPENSSH_LABEL && openSsh) return wiping(bytes, openSsh)
  const isSec1 = EC_LABELS.includes(label)
  if (bytes[0] === DER_SEQUENCE && (!isSec1 || isEc(bytes))) return bytes
  const { length } = bytes
  bytes.fill(0)
  if (!isSec1) throw invalid(field, `${expected} with DER inside`, 'something else inside')
  throw invalid(field, `SEC 1 of P-256, secp256k1 or SM2 in ${label}`, `${length} bytes of something else`)
}

/** In either of the forms that OpenSSL writes: nobody is asked for a passphrase here. */
function isEncrypted(text: Uint8Array): boolean {
  const header = text.indexOf(NEW_LINE) + 1
  return labelOf(text) === ENCRYPTED_LABEL || stands(ENCRYPTED_HEADER, text, header)
}

function wiping<T>(bytes: Uint8Array, use: (bytes: Uint8Array) => T): T {
  try {
    return use(bytes)
  } finally {
    bytes.fill(0)
  }
}

/** The label, of which there is none unless it is the same at both ends, and what is between them. */
function partsOf(text: Uint8Array): { readonly label?: string; readonly body: Uint8Array } {
  const label = labelOf(text)
  if (label === undefined) return { body: text }
  const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`]
  const body = text.subarray(begin.length, Math.max(text.length - end.length, begin.length))
  const isWhole = stands(begin, text, 0) && stands(end, text, begin.length + body.length)
  return isWhole && !body.includes(DASH) ? { label, body } : { body }
}

function labelOf(text: Uint8Array): string | undefined {
  const end = text.indexOf(DASH, BEGIN.length)
  const bytes = text.subarray(BEGIN.length, Math.max(end, BEGIN.length))
  if (bytes.length > LONGEST_LABEL) return undefined
  const label = String.fromCharCode(...bytes)
  return /^[A-Z\d ]+$/.test(label) ? label : undefined
}
