import { fromBase64 } from '../base/bytes/base64.js'
import { toBytes, toHex } from '../base/bytes/hex.js'
import { join } from '../base/bytes/join.js'
import { expected } from '../base/errors.js'
import { EMPTY_ROOT, leavesOf } from '../core/hashed.js'
import type { SetItem } from './entry.js'
import { entryOf } from './key-list.js'
import { type Proof, readProof, type Says } from './proof-message.js'
import { rootOf } from './run.js'
import type { SetStatement } from './set-message.js'
import { assertVerified, saltOf, type VerifiedSet } from './verify-set.js'

/** A payload is in a set. */
export interface VerifiedMember {
  /** Its place among the sorted keys, from 0. */
  readonly index: number
}

/** A payload is not in a set. */
export interface VerifiedAbsence {
  /**
   * Whether the keys of the set were seen to be in order: `'checked'` when `verifySet` had their list. `'claimed'` when only the signer
   * says so: a signer that sorts them wrongly can have proofs of absence about payloads that it sealed.
   */
  readonly sorted: 'claimed' | 'checked'
}

/**
 * Verifies that a payload is in a set.
 *
 * @param set - what `verifySet` returned
 * @param proof - from `proveMember`, of whoever has the list
 * @param item - the payload, or its payload key
 * @throws TypeError when `proof` is not a `Uint8Array`, or `set` is not what `verifySet` returned
 * @throws AlvariumError `MESSAGE_MALFORMED`; `PROOF_INVALID` when the proof is about another set or payload, or does not lead to the
 * root; `CONFIG_INVALID` without the salt of a set that has one
 *
 * @example
 * ```ts
 * import { proveMember, sealSet, verifyMember, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message, list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const set = await verifySet(message, { keyring })
 * console.log(verifyMember(set, proveMember(list, payload), payload).index) // 0
 * ```
 */
export function verifyMember(set: VerifiedSet, proof: Uint8Array, item: SetItem): VerifiedMember {
  const { read, entry } = asked(set, proof, item, 'member')
  assertMember(set, read, entry)
  return { index: read.index }
}

/**
 * Verifies that a payload is not in a set. Look at `sorted` of what it returns.
 *
 * @param set - what `verifySet` returned
 * @param proof - from `proveAbsent`, of whoever has the list
 * @param item - the payload, or its payload key
 * @throws as `verifyMember`
 *
 * @example
 * ```ts
 * import { proveAbsent, sealSet, verifyAbsent, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message, list } = await sealSet([], { signingKey, name: 'nothing' })
 * const set = await verifySet(message, { keyring })
 * console.log(verifyAbsent(set, proveAbsent(list, payload), payload).sorted) // claimed
 * ```
 */
export function verifyAbsent(set: VerifiedSet, proof: Uint8Array, item: SetItem): VerifiedAbsence {
  const { read, entry } = asked(set, proof, item, 'absent')
  assertAbsent(set, read, entry)
  return { sorted: set.sorted }
}

function asked(set: VerifiedSet, proof: Uint8Array, item: SetItem, says: Says) {
  assertVerified(set)
  const read = readProof(proof)
  const entry = entryOf(item, saltOf(set))
  if (read.says !== says) throw wrong('says', says, read.says)
  if (read.root !== set.root) throw wrong('root', `that of the set, ${set.root}`, read.root)
  return { read, entry }
}

/** What a proof shows of a tree. */
type ProofParts = Pick<Proof, 'index' | 'entries' | 'path'>

/** The tree that a proof leads to the root of. */
type TreeParts = Pick<SetStatement, 'size' | 'root'>

/** @throws AlvariumError `PROOF_INVALID` */
export function assertMember(set: TreeParts, shown: ProofParts, entry: Uint8Array): void {
  const [only, ...more] = shown.entries
  if (only === undefined || more.length > 0) throw wrong('entries', 'one', `${shown.entries.length}`)
  if (only !== toHex(entry)) throw wrong('entries', `that of the payload, ${toHex(entry)}`, only)
  assertLeads(set, shown)
}

/** @throws AlvariumError `PROOF_INVALID` */
export function assertAbsent(set: TreeParts, shown: ProofParts, entry: Uint8Array): void {
  const { index, entries } = shown
  const own = toHex(entry)
  // Digits compare as their bytes do. Where no entry is shown, none comes before the payload or behind it.
  const [first = own, last = own] = [entries[0], entries.at(-1)]
  const isBetween = entries.length === 2 && first < own && last > own
  const isAtBegin = entries.length === 1 && index === 0 && first > own
  const isAtEnd = entries.length === 1 && index === set.size - 1 && last < own
  const isNowhere = entries.length === 0 && index === 0 && set.size === 0
  if (!isBetween && !isAtBegin && !isAtEnd && !isNowhere) {
    throw wrong('entries', 'the neighbours of the payload', 'others')
  }
  assertLeads(set, shown)
}

/** That entries stand at their places in the tree. */
function assertLeads({ size, root }: TreeParts, { index, entries, path }: ProofParts): void {
  const hashes = fromBase64(path) as Uint8Array
  const run = { index, count: entries.length, size }
  // Not by the size: in an empty set, any payload would be a member by a path of nothing.
  const found = entries.length === 0 ? emptyRoot(hashes) : rootOf(run, leavesOf(joined(entries)), hashes)
  if (found !== undefined && toHex(found) === root) return
  throw wrong('path', 'hashes that lead to the root', 'others')
}

function emptyRoot(hashes: Uint8Array): Uint8Array | undefined {
  return hashes.length === 0 ? toBytes(EMPTY_ROOT) : undefined
}

function joined(entries: readonly string[]): Uint8Array {
  return join(entries.map((one) => toBytes(one) as Uint8Array)).bytes
}

function wrong(member: string, what: string, got: string) {
  return expected('PROOF_INVALID', `proof.${member}`, what, got)
}
