import { sha256 } from '@noble/hashes/sha2.js'
import { generateKey, keyIdOf, signBytes, toHex } from 'alvarium-sdk'
import { type SealSetOptions, type SetItem, sealSet, verifySet } from 'alvarium-sdk/sets'
import { concat, fromHex, utf8 } from './bytes.js'

/** A signer's statement, which may be false. */
export interface Statement {
  readonly name: string
  readonly host: string
  readonly timestamp: string
  readonly rows: number
  readonly size: number
  readonly root: string
  readonly salt?: string | undefined
}

const u32 = (number: number) => Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number)
const u64 = (number: number) => concat(u32(Math.floor(number / 2 ** 32)), u32(number))
const text = (given: string) => concat(u32(utf8(given).length), utf8(given))

/** Returns the identity bytes by FORMAT.md, set/1: written a second time. */
export function identityOf(signer: string, { name, host, timestamp, rows, size, root, salt }: Statement) {
  const told = salt === undefined ? [Uint8Array.of(0)] : [Uint8Array.of(1), fromHex(salt)]
  const texts = [signer, name, host, timestamp].map(text)
  return concat(utf8('alvarium.Set/1\n'), ...texts, u64(rows), u64(size), fromHex(root), ...told)
}

/** Returns a set of a signer that signs anything. */
export function signedSet(
  signingKey: Uint8Array,
  verifyingKey: Uint8Array,
  given: Partial<Statement>,
): Uint8Array {
  const said: Statement = {
    name: 'set',
    host: 'edge-7',
    timestamp: '2026-11-20T10:00:00Z',
    rows: 1,
    size: 1,
    root: '00'.repeat(32),
    ...given,
  }
  const signer = keyIdOf(verifyingKey)
  const signature = toHex(signBytes(signingKey, identityOf(signer, said)))
  const { name, host, timestamp, rows, size, root, salt } = said
  const content = { signature, signer, name, host, timestamp, rows, size, root, salt }
  return utf8(JSON.stringify({ messageType: 'alvarium.Set/1', content }))
}

/** Returns the identity bytes by FORMAT.md, manifest/1: written a second time. */
export function manifestIdentityOf(signer: string, given: Omit<Statement, 'rows'>) {
  const { name, host, timestamp, size, root, salt } = given
  const saltPart = salt === undefined ? [Uint8Array.of(0)] : [Uint8Array.of(1), fromHex(salt)]
  const texts = [signer, name, host, timestamp].map(text)
  return concat(utf8('alvarium.Manifest/1\n'), ...texts, u64(size), fromHex(root), ...saltPart)
}

/** Returns the message of a manifest of a signer that signs anything. */
export function signedManifest(
  signingKey: Uint8Array,
  verifyingKey: Uint8Array,
  given: Partial<Omit<Statement, 'rows'>>,
): Uint8Array {
  const around = { name: 'readings.csv', host: 'edge-7', timestamp: '2026-11-20T10:00:00Z' }
  const statement = { ...around, size: 1, root: '00'.repeat(32), ...given }
  const signer = keyIdOf(verifyingKey)
  const signature = toHex(signBytes(signingKey, manifestIdentityOf(signer, statement)))
  const { name, host, timestamp, size, root, salt } = statement
  const content = { signature, signer, name, host, timestamp, size, root, salt }
  return utf8(JSON.stringify({ messageType: 'alvarium.Manifest/1', content }))
}

/** Returns the root by RFC 9162 §2.1.1, in its words. */
export function rootOver(entries: readonly Uint8Array[]): Uint8Array {
  const [only] = entries
  if (only === undefined) return sha256(new Uint8Array(0))
  if (entries.length === 1) return sha256(concat(Uint8Array.of(0), only))
  let split = 1
  while (split * 2 < entries.length) split *= 2
  const halves = [entries.slice(0, split), entries.slice(split)].map(rootOver)
  return sha256(concat(Uint8Array.of(1), ...halves))
}

export const payloadsOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, at) => utf8(`payload ${at}`))

export async function sealed(
  items: Iterable<SetItem> | AsyncIterable<SetItem>,
  options: Partial<SealSetOptions> = {},
) {
  const { signingKey, verifyingKey } = generateKey()
  const keyring = [verifyingKey]
  const made = await sealSet(items, { signingKey, name: 'training-7', ...options })
  const { salt } = options
  return {
    ...made,
    keyring,
    signingKey,
    verifyingKey,
    verified: await verifySet(made.message, { keyring, salt }),
  }
}

export function changed(
  message: Uint8Array,
  change: (content: Record<string, unknown>) => object,
): Uint8Array {
  const { messageType, content } = JSON.parse(new TextDecoder().decode(message))
  return utf8(JSON.stringify({ messageType, content: { ...content, ...change(content) } }))
}
