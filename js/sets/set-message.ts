import { malformed } from '../base/errors.js'
import { contentOf, messageOf } from '../base/options/message.js'
import { digits, strict } from '../base/options/schema.js'
import { EMPTY_ROOT } from '../core/hashed.js'
import { count } from './reading.js'
import { around, assertStated, identityOf, idOf, over } from './statement.js'

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
const members = { ...around, rows: count, ...over }

const KIND = {
  type: TYPE,
  content: strict({ signature: digits(128), ...members }),
  longest: 8192,
  name: 'set',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readSet(message: Uint8Array): SignedSet {
  const set = contentOf(message, KIND)
  if (set.size > set.rows) throw malformed('set.size', `at most its ${set.rows} rows`, `${set.size}`)
  if ((set.size === 0) !== (set.rows === 0))
    throw malformed('set.size', 'at least one key where there are rows', '0')
  if ((set.size === 0) !== (set.root === EMPTY_ROOT)) {
    throw malformed(
      'set.root',
      set.size === 0 ? `the root of an empty set, ${EMPTY_ROOT}` : 'another root than that of an empty set',
      set.root,
    )
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

/** What is signed of a set begins like nothing else that a key of ours signs. */
const DOMAIN = new TextEncoder().encode('alvarium.Set/1\n')

/** Returns the identity bytes of a set, which are signed (FORMAT.md, set/1). */
export function setIdentity(set: SetStatement): Uint8Array {
  return identityOf(DOMAIN, set, [set.rows, set.size])
}

/** SHA-256(0x00 ‖ identity bytes), as of bundles: 64 lower-case hexadecimal digits. */
export function setIdOf(set: SetStatement): string {
  return idOf(setIdentity(set))
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function assertSet(set: SetStatement): void {
  assertStated(members, set)
}
