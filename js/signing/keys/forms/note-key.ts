import { toHex } from '../../../foundation/base/bytes/hex.js'
import { withCore } from '../../../foundation/core/core.js'
import { invalid } from '../fault.js'
import { decodeBase64 } from './base64.js'

// Reads verifier keys of C2SP signed-note v1.0.0, https://c2sp.org/signed-note

/** Pattern of a verifier key: name, hash of the key, and the key. A name has no space and no `+`. */
const NOTE_KEY = /^([^\s+]+)\+([\da-f]{8})\+([\w+/]{44})$/
/**
 * Types of Ed25519 keys in signed notes: for signers, and for witnesses, which sign with a time (C2SP
 * tlog-cosignature).
 */
export const NOTE_TYPES = { signer: 1, witness: 4 } as const
const HASH_BYTES = 4

export interface NoteKey {
  readonly name: string
  /** Public key, 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>
}

/** Returns whether a text has the form of a verifier key of signed notes: `log.example+1c3e2f40+AY…`. */
export function isNoteKey(text: string): boolean {
  return NOTE_KEY.test(text)
}

/** Reads a verifier key. Returns undefined unless the key has this type, and its hash matches the name and key. */
export function noteKeyIn(text: string, type: number = NOTE_TYPES.signer): NoteKey | undefined {
  const [, name = '', hash, base64 = ''] = NOTE_KEY.exec(text) ?? []
  const typed = decodeBase64(new TextEncoder().encode(base64), '+/')
  if (typed?.[0] !== type || toHex(noteKeyHash(name, typed)) !== hash) return undefined
  return { name, key: typed.slice(1) }
}

/** Reads the public key from a verifier key, as transparency logs publish it. @returns 32 bytes of Ed25519 */
export function fromNoteKey(text: string): Uint8Array<ArrayBuffer> {
  const found = noteKeyIn(text)
  if (!found)
    throw invalid(
      'verifyingKey',
      'a verifier key of Ed25519 with the hash of its name and key',
      'another type, or another hash',
    )
  return found.key
}

/** Returns an Ed25519 key preceded by its type, as signed notes encode it. */
export function typedEd25519(key: Uint8Array, type: number = NOTE_TYPES.signer): Uint8Array {
  return new Uint8Array([type, ...key])
}

/** Returns the four bytes that identify a key in signed notes. */
export function noteKeyHash(name: string, typed: Uint8Array): Uint8Array {
  const hashed = new Uint8Array([...new TextEncoder().encode(`${name}\n`), ...typed])
  return withCore((core) => core.sha256Many(hashed, Uint32Array.of(hashed.length))).subarray(0, HASH_BYTES)
}
