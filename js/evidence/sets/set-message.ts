import { malformed } from '../../foundation/base/errors.js'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { digits, strict } from '../../foundation/base/options/schema.js'
import { count } from './schemas.js'
import { assertRoot, identityOf, idOf, signerMembers, treeMembers } from './statement.js'

/** Statement of a signer about a set. */
export interface SetStatement {
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** Name of the set, chosen by the signer. 0 to 255 bytes. */
  readonly name: string
  /** Name of the signer's machine. 0 to 255 bytes. */
  readonly host: string
  /** Time of sealing by the signer's clock, in RFC 3339. */
  readonly timestamp: string
  /** Number of sealed payloads, equal payloads included. */
  readonly rows: number
  /** Number of different payloads. */
  readonly size: number
  /** Root of the tree over the sorted keys (RFC 9162 §2.1.1): 64 lower-case hexadecimal digits. */
  readonly root: string
  /** Commitment to the salt: 64 lower-case hexadecimal digits. Undefined for a set without a salt. */
  readonly salt?: string | undefined
}

/** Set statement with its signature: 128 lower-case hexadecimal digits. */
export interface SignedSet extends SetStatement {
  readonly signature: string
}

/** Message type (FORMAT.md, set/1). */
const TYPE = 'alvarium.Set/1'

const KIND = {
  type: TYPE,
  content: strict({ signature: digits(128), ...signerMembers, rows: count, ...treeMembers }),
  maxBytes: 8192,
  name: 'set',
}

/** Reads the message of a set. @throws AlvariumError `MESSAGE_MALFORMED` */
export function readSet(message: Uint8Array): SignedSet {
  const set = contentOf(message, KIND)
  if (set.size > set.rows)
    throw malformed('set.size', `at most ${set.rows}, the number of rows`, `${set.size}`)
  if ((set.size === 0) !== (set.rows === 0))
    throw malformed('set.size', 'at least 1, because set.rows is not 0', '0')
  assertRoot(set, 'set', 'an empty set')
  return set
}

/** Encodes a set as a message, with its members in a fixed order. */
export function writeSet({ signature, ...statement }: SignedSet): Uint8Array {
  const { signer, name, host, timestamp, rows, size, root, salt } = statement
  return messageOf(TYPE, { signature, signer, name, host, timestamp, rows, size, root, salt })
}

/** Prefix of the signed bytes. Nothing else that our private keys sign begins with this prefix. */
const DOMAIN = new TextEncoder().encode('alvarium.Set/1\n')

/** Returns the identity bytes of a set, which the signature covers (FORMAT.md, set/1). */
export function setIdentity(set: SetStatement): Uint8Array {
  return identityOf(DOMAIN, set, [set.rows, set.size])
}

/** Returns the id of a set: SHA-256(0x00 ‖ {@link setIdentity}) as for bundles, 64 lower-case hexadecimal digits. */
export function setIdOf(set: SetStatement): string {
  return idOf(setIdentity(set))
}
