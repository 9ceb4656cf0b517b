import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { expected } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { compareLists, type EntryChange } from './compare-lists.js'
import type { KeyList } from './key-list.js'
import { encodePath } from './proof-message.js'
import { neighboursAt, pathFor } from './prove.js'
import { type Change, MAX_UPDATE_BYTES, writeUpdate } from './update-message.js'

/**
 * Proves the additions to a set and the removals from it. An added key was absent before and is a member now.
 * A removed key was a member before and is absent now.
 *
 * @param before - sorted keys of the earlier set
 * @param after - sorted keys of the later set; both sets must have the same salt, or none
 * @returns the update as a message of at most 2,097,152 bytes, which suffices for about 1,000 changes in sets
 * of 1,000,000 keys. For more changes, pass the lists to `verifyUpdate`
 * @throws AlvariumError `PROOF_INVALID` if there are more changes than an update can have
 *
 * @example
 * ```ts
 * import { proveUpdate, sealSet } from 'alvarium-sdk/sets'
 *
 * const before = await sealSet([payload], { signingKey, name: 'training-7' })
 * const after = await sealSet([], { signingKey, name: 'training-7' })
 * console.log((await proveUpdate(before.list, after.list)).length < 1000) // true
 * ```
 */
export async function proveUpdate(before: KeyList, after: KeyList): Promise<Uint8Array> {
  const changes = { added: [] as Change[], removed: [] as Change[] }
  let left = MAX_UPDATE_BYTES
  for await (const difference of compareLists(before, after)) {
    await callTurns.yieldIfDue()
    const change = changeOf(difference, before, after)
    changes[difference.change].push(change)
    // Subtract the change and a comma. The rest of the message must fit into the bytes that are left.
    left -= JSON.stringify(change).length + 1
    if (left >= MAX_HEAD_BYTES) continue
    const expectation = `changes whose proofs have at most ${MAX_UPDATE_BYTES} bytes`
    throw expected('PROOF_INVALID', 'update', expectation, 'more: compare the lists with verifyUpdate')
  }
  return writeUpdate({ before: before.root, after: after.root, ...changes })
}

/** Maximum length in bytes of an update without changes. The actual length is 225. */
const MAX_HEAD_BYTES = 256

function changeOf(
  { change, entry, place, otherPlace }: EntryChange,
  before: KeyList,
  after: KeyList,
): Change {
  const [has, lacks] = change === 'added' ? [after, before] : [before, after]
  const path = toBase64(pathFor(has, { index: place, entries: [entry] }))
  const around = neighboursAt(lacks, otherPlace)
  const absent = { index: around.index, ...encodePath(around.entries, pathFor(lacks, around)) }
  return { entry: toHex(entry), absent, member: { index: place, path } }
}
