import { hasTextAt } from '../../../foundation/base/text/text.js'
import { P256 } from '../ec/curves.js'
import { spkiOf } from '../ec/der.js'
import { invalid, type KeyField } from '../fault.js'
import { isSpace, secretCopy, trimBytes } from '../secret.js'
import { decodeBase64 } from './base64.js'

const LINE_STARTS = ['ssh-', 'ecdsa-', 'sk-']
const KEY_TYPES = 'ssh-ed25519 or ecdsa-sha2-nistp256'

/** Returns whether a text begins like a public key in OpenSSH's one-line form: `ssh-ed25519 AAAA… comment`. */
export function isSshLine(text: Uint8Array): boolean {
  return LINE_STARTS.some((kind) => hasTextAt(kind, text, 0))
}

export function fromSshLine(line: Uint8Array, field: KeyField): Uint8Array<ArrayBuffer> {
  if (field === 'signingKey') throw invalid(field, 'a private key', 'a public key of OpenSSH (a .pub file)')
  if (line.some((code) => code === 0x0a || code === 0x0d)) throw invalid(field, 'one key', 'several lines')
  const [kind, rest] = wordOf(line)
  const blob = decodeBase64(wordOf(trimBytes(rest))[0], '+/')
  if (!blob) throw invalid(field, `base64 after ${KEY_TYPES}`, 'other characters')
  const key = publicIn(new SshFields(blob, field), String.fromCharCode(...kind.subarray(0, 64)))
  return key.length === 32 ? secretCopy(key) : spkiOf(P256, key)
}

function wordOf(line: Uint8Array): readonly [word: Uint8Array, rest: Uint8Array] {
  const end = line.findIndex(isSpace)
  return end < 0 ? [line, line.subarray(line.length)] : [line.subarray(0, end), line.subarray(end + 1)]
}

/** Reads an Ed25519 key of 32 bytes or a P-256 point of 65 bytes, which must be the last field. */
export function publicIn(fields: SshFields, kind = fields.peekText()): Uint8Array {
  if (kind !== 'ssh-ed25519' && kind !== 'ecdsa-sha2-nistp256') {
    throw invalid(
      fields.field,
      `a key of ${KEY_TYPES}`,
      /^[\w@.-]+$/.test(kind) ? kind : 'a key of another type',
    )
  }
  if (fields.text() !== kind) throw fields.damaged()
  const isEcdsa = kind !== 'ssh-ed25519'
  if (isEcdsa && fields.text() !== 'nistp256') throw fields.damaged()
  const key = fields.bytes()
  if (key.length !== (isEcdsa ? 65 : 32)) throw fields.damaged()
  fields.assertEnd()
  return key
}

/**
 * Reads OpenSSH fields one after another: numbers of four bytes, and bytes preceded by their length (RFC 4251
 * §5).
 */
export class SshFields {
  readonly #bytes: Uint8Array
  readonly field: KeyField
  #at = 0

  constructor(bytes: Uint8Array, field: KeyField) {
    this.#bytes = bytes
    this.field = field
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  at(index: number): number | undefined {
    return this.#bytes[this.#at + index]
  }

  skip(length: number): Uint8Array {
    if (length > this.left) throw this.damaged()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  number(): number {
    return this.skip(4).reduce((number, byte) => number * 256 + byte, 0)
  }

  bytes(): Uint8Array {
    return this.skip(this.number())
  }

  /** Reads a name, and cuts it after 64 characters, because known names are shorter. */
  text(): string {
    return String.fromCharCode(...this.bytes().subarray(0, 64))
  }

  peekText(): string {
    const start = this.#at
    const text = this.text()
    this.#at = start
    return text
  }

  assertEnd(): void {
    if (this.left > 0) throw this.damaged()
  }

  damaged() {
    return invalid(this.field, 'a key as OpenSSH writes it', 'a damaged key')
  }
}
