import { keyOf } from '../core/hashing.js'
import { decodeBase64 } from './base64.js'
import { invalid } from './fault.js'

/** A name, the key's hash and the key. A name has no space and no `+`. */
const NOTE_KEY = /^([^\s+]+)\+([\da-f]{8})\+([\w+/]{44})$/
/** The type of Ed25519. */
const ED25519 = 1

/** Returns whether a text is built as a verifier key of signed notes is: `log.example+1c3e2f40+AY…`. */
export function isNoteKey(text: string): boolean {
  return NOTE_KEY.test(text)
}

/**
 * Reads a verifier key of signed notes, which transparency logs publish (C2SP signed-note, "Verifier keys").
 *
 * @returns 32 bytes of Ed25519
 * @throws AlvariumError `KEY_INVALID`, also if its hash is not that of its name and key
 */
export function fromNoteKey(text: string): Uint8Array<ArrayBuffer> {
  const [, name = '', hash, base64 = ''] = NOTE_KEY.exec(text) ?? []
  const bytes = decodeBase64(new TextEncoder().encode(base64), '+/')
  if (bytes?.[0] !== ED25519) throw invalid('verifyingKey', 'a verifier key of Ed25519', 'another type')
  const hashed = new Uint8Array([...new TextEncoder().encode(`${name}\n`), ...bytes])
  if (keyOf(hashed, 'sha256', 'wasm').slice(0, 8).toLowerCase() !== hash)
    throw invalid('verifyingKey', 'a verifier key with its own hash', 'the hash of another')
  return bytes.slice(1)
}
