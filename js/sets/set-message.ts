import * as v from 'valibot'
import { toBytes, toHex } from '../base/bytes/hex.js'
import { join } from '../base/bytes/join.js'
import { prefixed, u64 } from '../base/bytes/prefixed.js'
import { expected, malformed } from '../base/errors.js'
import { contentOf, messageOf } from '../base/options/message.js'
import { digits, strict, text } from '../base/options/schema.js'
import { withCore } from '../core/core.js'
import { EMPTY_ROOT, HASH_BYTES, hashed } from '../core/hashed.js'
import { count, hash } from './reading.js'

/** What a signer says of a set. */
export interface SetStatement {
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** What the signer calls the set. 0 to 255 bytes. */
  readonly name: string
  /** The machine's name. 0 to 255 bytes. */
  readonly host: string
  /** RFC 3339. When it was sealed, by the signer's clock. */
  readonly timestamp: string
  /** How many payloads were sealed, those that came more than once counted each time. */
  readonly rows: number
  /** How many different ones. */
  readonly size: number
  /** The root over them (RFC 9162 §2.1.1): 64 lower-case hexadecimal digits. */
  readonly root: string
  /** There when keys are hashed with a salt: what tells the salt, 64 lower-case hexadecimal digits. */
  readonly salt?: string | undefined
}

/** With its signature, 128 lower-case hexadecimal digits. */
export interface SignedSet extends SetStatement {
  readonly signature: string
}

/** FORMAT.md, set/1. */
const TYPE = 'alvarium.Set/1'
const LONGEST_TEXT = 255

const stated = {
  signer: digits(32),
  name: text(LONGEST_TEXT),
  host: text(LONGEST_TEXT),
  timestamp: v.pipe(
    v.string('a time'),
    v.check((given) => isTimestamp(given), 'a time such as 2026-11-20T10:00:00Z'),
  ),
  rows: count,
  size: count,
  root: hash,
  salt: v.optional(hash),
}

const KIND = {
  type: TYPE,
  content: strict({ signature: digits(128), ...stated }),
  longest: 8192,
  name: 'set',
}

/** A date, a time with nine digits of fraction and an offset have 35. */
function isTimestamp(given: string): boolean {
  return given.length <= 35 && withCore((core) => core.isTimestamp(given))
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readSet(message: Uint8Array): SignedSet {
  const set = contentOf(message, KIND)
  if (set.size > set.rows) throw malformed('set.size', `at most its ${set.rows} rows`, `${set.size}`)
  if ((set.size === 0) !== (set.rows === 0)) throw malformed('set.size', 'one key or more of its rows', '0')
  if ((set.size === 0) !== (set.root === EMPTY_ROOT)) {
    throw malformed('set.root', 'that of no keys in an empty set alone', set.root)
  }
  return set
}

/** The bytes of its message, in which members have this order. */
export function writeSet({ signature, ...statement }: SignedSet): Uint8Array {
  return messageOf(TYPE, { signature, ...inOrder(statement) })
}

function inOrder({ signer, name, host, timestamp, rows, size, root, salt }: SetStatement): SetStatement {
  return { signer, name, host, timestamp, rows, size, root, salt }
}

/**
 * A statement that can be written, and read again.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function assertStatement(statement: SetStatement): void {
  const { success, issues } = v.safeParse(strict(stated), statement)
  if (success) return
  const [{ message, path }] = issues
  throw expected('CONFIG_INVALID', `${path?.[0]?.key}`, message, 'another value')
}

/** What is signed of a set begins like nothing else that a key of ours signs. */
const DOMAIN = new TextEncoder().encode('alvarium.Set/1\n')

/**
 * The identity bytes of a set: exactly what is signed (FORMAT.md, set/1). Every text stands behind its length, everything else has one
 * length: two sets never give the same bytes.
 */
export function setIdentity({
  signer,
  name,
  host,
  timestamp,
  rows,
  size,
  root,
  salt,
}: SetStatement): Uint8Array {
  const texts = [signer, name, host, timestamp].map(prefixed)
  const told = salt === undefined ? [Uint8Array.of(0)] : [Uint8Array.of(1), toBytes(salt) as Uint8Array]
  return join([DOMAIN, ...texts, u64(rows), u64(size), toBytes(root) as Uint8Array, ...told]).bytes
}

/** SHA-256(0x00 ‖ identity bytes), as of bundles: 64 lower-case hexadecimal digits. */
export function setIdOf(set: SetStatement): string {
  const identity = setIdentity(set)
  return toHex(hashed(identity, identity.length, 0))
}

const SALT_DOMAIN = new TextEncoder().encode('alvarium.Set/1 salt\n')

/** What the statement says of a salt: whoever verifies with another one finds out. */
export function saltCommitment(salt: Uint8Array): string {
  const { bytes } = join([SALT_DOMAIN, salt])
  return toHex(hashed(bytes, bytes.length))
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function assertSalt(salt: Uint8Array | undefined): void {
  if (salt === undefined || salt.length === HASH_BYTES) return
  throw expected('CONFIG_INVALID', 'salt', `${HASH_BYTES} random bytes`, `${salt.length}`)
}
