import { malformed } from '../../foundation/base/errors.js'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { digits, strict } from '../../foundation/base/options/schema.js'
import { count } from './schemas.js'
import { assertRoot, identityOf, idOf, type SetStatement, signerMembers, treeMembers } from './statement.js'

/** `signature` has 128 lower-case hexadecimal digits. */
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

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readSet(message: Uint8Array): SignedSet {
  const set = contentOf(message, KIND)
  if (set.size > set.rows)
    throw malformed('set.size', `at most ${set.rows}, the number of rows`, `${set.size}`)
  if ((set.size === 0) !== (set.rows === 0))
    throw malformed('set.size', 'at least 1, because set.rows is not 0', '0')
  assertRoot(set, 'set', 'an empty set')
  return set
}

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
