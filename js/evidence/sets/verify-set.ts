import * as v from 'valibot'
import { describe, expected, needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { VERSION } from '../../foundation/base/version.js'
import type { SignedBy } from '../../signing/keys/trust-policy.js'
import type { VerifyOptions } from '../../verifying/verify/options.js'
import { type KeyList, keyList } from './key-list.js'
import { readSet, setIdentity, setIdOf } from './set-message.js'
import { assertSaltOf, markVerified, type SetStatement, trustMembers, verifyStatement } from './statement.js'

/** @internal Symbol that marks the results of `verifySet`. Proofs are verified only against marked sets. */
export const VERIFIED_SET: unique symbol = Symbol.for(`alvarium-sdk.VerifiedSet ${VERSION}`)

/** Set with a verified signature. */
export interface VerifiedSet extends SetStatement {
  /** Hash of the statement, signer included: 64 lower-case hexadecimal digits. */
  readonly id: string
  /** Owner of the key, if a trust policy was evaluated. Undefined with a `Keyring`. */
  readonly signedBy?: SignedBy
  /**
   * `'checked'` if the list was given and showed that its keys are sorted. `'claimed'` if only the signer states
   * that they are sorted. Proofs of absence rely on sorted keys.
   */
  readonly sorted: 'claimed' | 'checked'
  /** @internal */
  readonly [VERIFIED_SET]: { readonly salt: Uint8Array | undefined }
}

/** Trusted keys, and the salt and list of a set. */
export interface VerifySetOptions extends Pick<VerifyOptions, 'keyring' | 'receivedAt'> {
  /** Salt of the set (32 bytes). It is needed to verify proofs about a set that has a salt. */
  readonly salt?: Uint8Array | undefined
  /** Sorted keys of the set, for comparison with the signed root. `sorted` of the result is then `'checked'`. */
  readonly list?: KeyList | undefined
}

const schema = strict({ ...trustMembers, list: v.optional(keyList) })

/**
 * Verifies a set, once for all proofs about it.
 *
 * @throws TypeError if `message` is not a `Uint8Array`, or `receivedAt` is not a time
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; with a trust policy also
 * `SIGNER_NOT_ALLOWED`, `SIGNER_EXPIRED` and `SIGNER_REVOKED`; `CONFIG_INVALID` for the salt of another set;
 * `PROOF_INVALID` for the list of another set
 *
 * @example
 * ```ts
 * import { sealSet, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const set = await verifySet(message, { keyring })
 * console.log(`${set.name}: ${set.size} keys`) // training-7: 1 keys
 * ```
 */
export async function verifySet(message: Uint8Array, options: VerifySetOptions): Promise<VerifiedSet> {
  const { salt, list } = readOptions(schema, options, 'verifySet')
  const { signature, ...set } = readSet(message)
  const signedBy = await verifyStatement({ ...set, signature }, setIdentity(set), options)
  assertSaltOf(set, salt)
  if (list) assertListOf(set, list)
  const sorted = list ? 'checked' : 'claimed'
  return markVerified({ ...set, id: setIdOf(set), ...signedBy, sorted }, VERIFIED_SET, salt) as VerifiedSet
}

/**
 * Asserts that a list has the signed size and root. The order needs no check, because every `KeyList` is
 * sorted.
 */
export function assertListOf({ size, root }: SetStatement, list: KeyList): void {
  if (list.size === size && list.root === root) return
  const got = `${list.size} with the root ${list.root}`
  throw expected(
    'PROOF_INVALID',
    'list',
    `${size === 1 ? 'the key' : `the ${size} keys`} with the root ${root}`,
    got,
  )
}

/** @throws TypeError */
export function assertVerifiedSet(set: VerifiedSet, name = 'set'): void {
  if (typeof set === 'object' && set !== null && VERIFIED_SET in set) return
  throw new TypeError(`${name}: expected the result of verifySet, got ${describe(set)}`)
}

/** @throws AlvariumError `CONFIG_INVALID` if the set's salt was not given to `verifySet` */
export function saltOf(set: VerifiedSet): Uint8Array | undefined {
  const { salt } = set[VERIFIED_SET]
  if (set.salt === undefined || salt) return salt
  throw needs('salt', 'the salt of the set, as an option of verifySet')
}
