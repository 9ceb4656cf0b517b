import { fromBase64, toBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { malformed } from '../../foundation/base/errors.js'
import { noteKeyHash, typedEd25519 } from '../../signing/keys/forms/note-key.js'

// C2SP signed-note v1.0.0, https://c2sp.org/signed-note

const DASH = '\u2014 '
/** Maximum number of signatures in a note. C2SP signed-note asks for support of at least 16. */
export const MAX_SIGNATURES = 16
/** Maximum length of a signature line in characters. Post-quantum signatures have 5 kB. */
const MAX_LINE_CHARACTERS = 8192
const SIGNATURE_BYTES = 64
const ID_BYTES = 4
/** Signature type of all algorithms except Ed25519: 0xff, followed by a name, as C2SP signed-note permits. */
const OTHER_ALGORITHM = new Uint8Array([0xff, ...new TextEncoder().encode('alvarium.Checkpoint/1')])

export interface Note {
  /** The signed text, which ends with a line feed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export interface NoteSignature {
  readonly name: string
  readonly keyId: string
  readonly signature: Uint8Array
  readonly line: string
}

/**
 * Computes the four-byte id of a key in notes. For algorithms other than Ed25519, the id depends only on the
 * name.
 *
 * @param ed25519 - the 32 bytes of an Ed25519 key; undefined for other algorithms
 */
export function noteKeyId(name: string, ed25519: Uint8Array | undefined): Uint8Array {
  return noteKeyHash(name, ed25519 ? typedEd25519(ed25519) : OTHER_ALGORITHM)
}

export function writeNote(text: string, name: string, keyId: Uint8Array, signature: Uint8Array): string {
  return `${text}\n${signatureLine(name, keyId, signature)}`
}

export function signatureLine(name: string, keyId: Uint8Array, signature: Uint8Array): string {
  return `${DASH}${name} ${toBase64(new Uint8Array([...keyId, ...signature]))}\n`
}

/**
 * Reads the text and the signatures of a note. Verifies nothing.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readNote(note: string): Note {
  const end = note.lastIndexOf('\n\n')
  const lines = note.slice(end + 2).split('\n', MAX_SIGNATURES + 2)
  const count = lines.length - 1
  if (end < 0 || lines.at(-1) !== '' || count < 1 || count > MAX_SIGNATURES) {
    throw malformed(
      'note',
      `a text, an empty line, and 1 to ${MAX_SIGNATURES} lines with signatures`,
      quoteLine(note),
    )
  }
  return { text: note.slice(0, end + 1), signatures: lines.slice(0, -1).map(readSignature) }
}

function readSignature(lineText: string): NoteSignature {
  const isLine = lineText.startsWith(DASH) && lineText.length <= MAX_LINE_CHARACTERS
  const [name = '', base64 = '', more] = isLine ? lineText.slice(DASH.length).split(' ') : []
  const bytes = fromBase64(base64)
  if (!bytes || bytes.length <= ID_BYTES || name === '' || more !== undefined) {
    throw malformed('note', 'lines with a dash, a name and a signature in base64', quoteLine(lineText))
  }
  const keyId = toHex(bytes.subarray(0, ID_BYTES))
  return { name, keyId, signature: bytes.subarray(ID_BYTES), line: lineText }
}

/**
 * Returns the only signature by a key. Throws if the note has none by this key, or several. Ignores
 * signatures by other keys, such as those of witnesses.
 */
export function signatureOf(note: Note, name: string, keyId: string): Uint8Array {
  const matches = note.signatures.filter((one) => one.name === name && one.keyId === keyId)
  const [only] = matches
  if (only && matches.length === 1 && only.signature.length === SIGNATURE_BYTES) return only.signature
  throw malformed('note', `one signature by ${name} with the key ${keyId}`, `${matches.length}`)
}

const MAX_QUOTED = 80

export function quoteLine(text: string | undefined): string {
  if (text === undefined) return 'no line'
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}
