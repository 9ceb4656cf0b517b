import { AlvariumError, expected } from '../../foundation/base/errors.js'
import type { SetItem } from './entry.js'
import { findEntry, type KeyList, LIST_CONTENTS } from './key-list.js'
import { CONTENTS, type Manifest } from './manifest.js'
import { encodePath, type ProofKind, writeProof } from './proof-message.js'
import { pathOf } from './tree.js'

/**
 * Proves that a payload is in a set.
 *
 * @param list - sorted keys of the set
 * @param item - payload, or its payload key
 * @returns the proof as a message: about 1,100 bytes for 1,000,000 keys, 640 of them hashes
 * @throws AlvariumError `PROOF_INVALID` if the payload is not in the set
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
  const { entry, place, isMember } = findEntry(list[LIST_CONTENTS], item)
  if (!isMember) throw new AlvariumError('PROOF_INVALID', 'item: is not in the set')
  return proofOf(list, 'member', { index: place, entries: [entry] })
}

/**
 * Proves that a payload is not in a set, by showing its neighbours among the keys. The option `salt` of
 * `sealSet` explains what neighbours reveal.
 *
 * @param list - sorted keys of the set
 * @param item - payload, or its payload key
 * @returns the proof as a message: about 1,200 bytes for 1,000,000 keys, 640 of them hashes
 * @throws AlvariumError `PROOF_INVALID` if the payload is in the set
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
  const { place, isMember } = findEntry(list[LIST_CONTENTS], item)
  if (isMember) throw new AlvariumError('PROOF_INVALID', 'item: is in the set')
  return proofOf(list, 'absent', neighboursAt(list, place))
}

export interface AdjacentEntries {
  readonly index: number
  readonly entries: readonly Uint8Array[]
}

/** Returns the entries before and at a place: only one at an end of the set, and none in an empty set. */
export function neighboursAt(list: KeyList, place: number): AdjacentEntries {
  const { entries } = list[LIST_CONTENTS]
  const index = Math.max(0, place - 1)
  const until = Math.min(entries.length, place + 1)
  return { index, entries: Array.from({ length: until - index }, (_, at) => entries.at(index + at)) }
}

/** Returns the concatenated hashes that lead from adjacent entries to the root. */
export function pathFor(list: KeyList, { index, entries }: AdjacentEntries): Uint8Array {
  const { tree } = list[LIST_CONTENTS]
  if (entries.length === 0) return new Uint8Array(0)
  const run = { index, count: entries.length, size: list.size }
  return pathOf(run, (level, at) => tree.node(level, at))
}

function proofOf(list: KeyList, says: ProofKind, shown: AdjacentEntries): Uint8Array {
  const { root } = list
  return writeProof({ says, root, index: shown.index, ...encodePath(shown.entries, pathFor(list, shown)) })
}

/**
 * Proves the position of a payload key in a manifest.
 *
 * @param manifest - a manifest from `sealManifest` or `openManifest`
 * @param number - number of the record, from 1
 * @returns the proof as a message: about 1,100 bytes for 1,000,000 records, 640 of them hashes
 * @throws AlvariumError `PROOF_INVALID` if the manifest has no record with that number
 *
 * @example
 * ```ts
 * import { proveRecord, sealManifest, verifyRecord } from 'alvarium-sdk/sets'
 *
 * const manifest = await sealManifest([payload], { signingKey, name: 'readings.csv' })
 * console.log(verifyRecord(manifest.statement, proveRecord(manifest, 1), payload).number) // 1
 * ```
 */
export function proveRecord(manifest: Manifest, number: number): Uint8Array {
  const { entries, tree } = manifest[CONTENTS]
  const { length: size } = entries
  if (!Number.isInteger(number) || number < 1 || number > size) {
    const expectation = size === 0 ? 'no number, because the manifest has no records' : `1 to ${size}`
    throw expected('PROOF_INVALID', 'number', expectation, `${number}`)
  }
  const index = number - 1
  const path = pathOf({ index, count: 1, size }, (level, at) => tree.node(level, at))
  return writeProof({ says: 'member', root: tree.root, index, ...encodePath([entries.at(index)], path) })
}
