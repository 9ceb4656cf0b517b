import { expected } from '../../foundation/base/errors.js'
import type { KeyList } from '../sets/key-list.js'
import { proveMember } from '../sets/prove.js'
import { assertListOf, assertVerified, type VerifiedSet } from '../sets/verify-set.js'
import type { PackedProof } from './proof-line.js'

/**
 * Makes proofs for all payloads of a set, for the option `proofs` of `makePack`. With them, a payload that was made from the set is scored
 * by all members of the set. Each proof is made when it is iterated, in 0.1 ms; a million of them are 1.2 GB of a pack.
 *
 * @param set - the result of `verifySet`, of a set without a salt
 * @param list - the key list of the set
 * @throws TypeError if `set` is not a result of `verifySet`
 * @throws AlvariumError `CONFIG_INVALID` for a set with a salt, which a pack does not have; `PROOF_INVALID` for another list
 *
 * @example
 * ```ts
 * import { makePack, memberProofs } from 'alvarium-sdk/packs'
 * import { sealSet, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message: sealed, list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const proofs = memberProofs(await verifySet(sealed, { keyring }), list)
 * const trust = { signers: [{ name: 'gateway-1', keys: [keyText] }] }
 * const about = { payload: { hash: 'sha256', key: keyOf(payload) } } as const
 * await writeFile('evidence.zip', makePack([message], { about, trust, sets: [sealed], proofs }))
 * ```
 */
export function memberProofs(set: VerifiedSet, list: KeyList): Iterable<PackedProof> {
  assertVerified(set)
  // Refuse salts: a list that was read without its salt has entries that are not payload keys.
  if (set.salt !== undefined) throw expected('CONFIG_INVALID', 'set', 'one without a salt', 'one with a salt')
  assertListOf(set, list)
  return { [Symbol.iterator]: () => proofsOf(set.id, list) }
}

function* proofsOf(set: string, list: KeyList): Generator<PackedProof, void> {
  for (const key of list.keys()) yield { set, key, proof: proveMember(list, key) }
}
