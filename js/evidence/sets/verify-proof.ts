import { fromBase64 } from '../../foundation/base/bytes/base64.js'
import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { EMPTY_ROOT, leavesOf } from '../../foundation/core/tree.js'
import type { SetItem } from './entry.js'
import { entryOf } from './key-list.js'
import { type Proof, type ProofKind, readProof } from './proof-message.js'
import type { SetStatement } from './statement.js'
import { rootOf } from './tree.js'
import { assertVerifiedSet, saltOf, type VerifiedSet } from './verify-set.js'

/** Result of verifying that a payload is in a set. */
export interface VerifiedMember {
  /** Position of the payload among the sorted keys, counted from 0. */
  readonly index: number
}

/** Result of verifying that a payload is not in a set. */
export interface VerifiedAbsence {
  /**
   * `'checked'` if `verifySet` was given the list, and so could tell that the keys are sorted. `'claimed'` if
   * only the signer states that they are. A signer that sorts keys wrongly can make proofs of absence about
   * payloads that it sealed.
   */
  readonly sorted: 'claimed' | 'checked'
}

/**
 * Verifies that a payload is in a set.
 *
 * @param set - result of `verifySet`
 * @param proof - message that `proveMember` returned to the holder of the list
 * @param item - payload, or its payload key
 * @throws TypeError if `proof` is not a `Uint8Array`, or `set` is not a result of `verifySet`
 * @throws AlvariumError `MESSAGE_MALFORMED`; `PROOF_INVALID` if the proof is about another set or payload, or
 * does not lead to the root; `CONFIG_INVALID` if the set has a salt that was not given
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
  const { read, entry } = readProofAbout(set, proof, item, 'member')
  assertMember(set, read, entry)
  return { index: read.index }
}

/**
 * Verifies that a payload is not in a set. This relies on sorted keys: check `sorted` of the result, which
 * tells whether the order was checked or only claimed by the signer.
 *
 * @param set - result of `verifySet`
 * @param proof - message that `proveAbsent` returned to the holder of the list
 * @param item - payload, or its payload key
 * @throws as {@link verifyMember}
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
  const { read, entry } = readProofAbout(set, proof, item, 'absent')
  assertAbsent(set, read, entry)
  return { sorted: set.sorted }
}

function readProofAbout(set: VerifiedSet, proof: Uint8Array, item: SetItem, says: ProofKind) {
  assertVerifiedSet(set)
  const read = readProof(proof)
  const entry = entryOf(item, saltOf(set))
  assertAbout(read, says, 'set', set.root)
  return { read, entry }
}

/** @throws AlvariumError `PROOF_INVALID` for a proof of another kind, or about another tree */
export function assertAbout(read: Proof, says: ProofKind, of: 'set' | 'manifest', root: string): void {
  if (read.says !== says) throw proofError('says', says, read.says)
  if (read.root !== root) throw proofError('root', `the root of the ${of}, ${root}`, read.root)
}

type ProofParts = Pick<Proof, 'index' | 'entries' | 'path'>

type TreeParts = Pick<SetStatement, 'size' | 'root'>

/** Asserts that a proof proves that a tree contains an entry. @throws AlvariumError `PROOF_INVALID` */
export function assertMember(set: TreeParts, shown: ProofParts, entry: Uint8Array): void {
  const [only, ...more] = shown.entries
  if (only === undefined || more.length > 0)
    throw proofError('entries', 'one entry', `${shown.entries.length}`)
  if (only !== toHex(entry)) throw proofError('entries', `the entry of the payload, ${toHex(entry)}`, only)
  assertLeads(set, shown)
}

/** Asserts that a proof proves that a sorted tree lacks an entry. @throws AlvariumError `PROOF_INVALID` */
export function assertAbsent(set: TreeParts, shown: ProofParts, entry: Uint8Array): void {
  const { index, entries } = shown
  const entryHex = toHex(entry)
  // Compare as strings, because lower-case hexadecimal sorts like its bytes. The defaults have an effect only if the
  // proof shows no entries.
  const [first = entryHex, last = entryHex] = [entries[0], entries.at(-1)]
  const isBetween = entries.length === 2 && first < entryHex && last > entryHex
  const isAtBegin = entries.length === 1 && index === 0 && first > entryHex
  const isAtEnd = entries.length === 1 && index === set.size - 1 && last < entryHex
  const isNowhere = entries.length === 0 && index === 0 && set.size === 0
  if (!isBetween && !isAtBegin && !isAtEnd && !isNowhere) {
    throw new AlvariumError(
      'PROOF_INVALID',
      'proof.entries: are not the neighbours of the payload in the set',
    )
  }
  assertLeads(set, shown)
}

function assertLeads({ size, root }: TreeParts, { index, entries, path }: ProofParts): void {
  const hashes = fromBase64(path) as Uint8Array
  const leaves = leavesOf(toBytes(entries.join('')) as Uint8Array)
  const run = { index, count: entries.length, size }
  // Test the number of entries, not the size. Otherwise an empty path would make any payload a member of an empty set.
  const found = entries.length === 0 ? emptyRoot(hashes) : rootOf(run, leaves, hashes)
  if (found !== undefined && toHex(found) === root) return
  throw new AlvariumError('PROOF_INVALID', 'proof.path: does not lead to the signed root')
}

function emptyRoot(hashes: Uint8Array): Uint8Array | undefined {
  return hashes.length === 0 ? toBytes(EMPTY_ROOT) : undefined
}

function proofError(member: string, expectation: string, got: string) {
  return expected('PROOF_INVALID', `proof.${member}`, expectation, got)
}
