import { expected } from '../../foundation/base/errors.js'
import type { SetItem } from './entry.js'
import { entryOf, INSIDE, isAt, type KeyList, placeFor } from './key-list.js'
import { type Says, writeProof, written } from './proof-message.js'
import { pathOf } from './run.js'

/**
 * Proves that a payload is in a set.
 *
 * @param list - sorted keys of the set
 * @param item - payload, or its payload key
 * @returns proof as a message: at 1,000,000 keys about 1,100 bytes, 640 of them hashes
 * @throws AlvariumError `PROOF_INVALID` when the payload is not in the set
 *
 * @example
 * ```ts
 * import { proveMember, sealSet, verifyMember, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message, list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const proof = proveMember(list, payload)
 * verifyMember(await verifySet(message, { keyring }), proof, payload)
 * ```
 */
export function proveMember(list: KeyList, item: SetItem): Uint8Array {
  const { entry, place, isMember } = found(list, item)
  if (!isMember) throw expected('PROOF_INVALID', 'item', 'a payload of the set', 'another')
  return proofOf(list, 'member', { index: place, entries: [entry] })
}

/**
 * Proves that a payload is not in a set, by its neighbours among the keys. `salt` of `sealSet` says what they
 * reveal.
 *
 * @param list - sorted keys of the set
 * @param item - payload, or its payload key
 * @returns proof as a message: at 1,000,000 keys about 1,200 bytes, 720 of them hashes
 * @throws AlvariumError `PROOF_INVALID` when the payload is in the set
 *
 * @example
 * ```ts
 * import { proveAbsent, sealSet, verifyAbsent, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message, list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const other = new TextEncoder().encode('another')
 * const { sorted } = verifyAbsent(await verifySet(message, { keyring, list }), proveAbsent(list, other), other)
 * console.log(sorted) // checked
 * ```
 */
export function proveAbsent(list: KeyList, item: SetItem): Uint8Array {
  const { place, isMember } = found(list, item)
  if (isMember) throw expected('PROOF_INVALID', 'item', 'a payload that is not in the set', 'one of it')
  return proofOf(list, 'absent', neighboursAt(list, place))
}

/** Consecutive entries of a set. */
export interface AdjacentEntries {
  /** Position of the first entry. */
  readonly index: number
  readonly entries: readonly Uint8Array[]
}

/** Returns the entries before and at a position: one at an end of the set, none in an empty set. */
export function neighboursAt(list: KeyList, place: number): AdjacentEntries {
  const { entries } = list[INSIDE]
  const index = Math.max(0, place - 1)
  const until = Math.min(entries.length, place + 1)
  return { index, entries: Array.from({ length: until - index }, (_, at) => entries.at(index + at)) }
}

/** Returns the hashes from the entries up to the root. */
export function pathFor(list: KeyList, { index, entries }: AdjacentEntries): Uint8Array {
  const { tree } = list[INSIDE]
  if (entries.length === 0) return new Uint8Array(0)
  const run = { index, count: entries.length, size: list.size }
  return pathOf(run, (level, at) => tree.node(level, at))
}

function found(list: KeyList, item: SetItem) {
  const { entries, salt } = list[INSIDE]
  const entry = entryOf(item, salt)
  const place = placeFor(entries, entry)
  return { entry, place, isMember: isAt(entries, place, entry) }
}

function proofOf(list: KeyList, says: Says, shown: AdjacentEntries): Uint8Array {
  const { root } = list
  return writeProof({ says, root, index: shown.index, ...written(shown.entries, pathFor(list, shown)) })
}
