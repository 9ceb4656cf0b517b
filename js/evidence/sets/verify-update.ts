import * as v from 'valibot'
import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, expected, needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import { compareLists } from './compare-lists.js'
import { type KeyList, keyList } from './key-list.js'
import { type Change, readUpdate } from './update-message.js'
import { assertAbsent, assertMember } from './verify-proof.js'
import { assertListOf, assertVerifiedSet, type VerifiedSet } from './verify-set.js'

/**
 * Evidence for the changes between two sets: an update, the key lists of both sets, or both kinds of
 * evidence.
 */
export interface VerifyUpdateOptions {
  /** Message that `proveUpdate` returned. */
  readonly update?: Uint8Array | undefined
  /** Sorted keys of the earlier and of the later set. */
  readonly lists?: { readonly before: KeyList; readonly after: KeyList } | undefined
}

/** Verified changes from one set to another. */
export interface VerifiedUpdate {
  /**
   * Payload keys that were added, ascending: 64 upper-case hexadecimal digits. With a salt, the hashes of
   * salt and key.
   */
  readonly added: readonly string[]
  /** Payload keys that were removed, in the form of `added`. */
  readonly removed: readonly string[]
  /**
   * `'checked'` if both lists were compared, so that no other keys have changed. `'claimed'` with only an
   * update: other keys may then have changed, too. There must then be as many of these additions as removals,
   * because the sizes are compared.
   */
  readonly others: 'claimed' | 'checked'
}

const schema = strict({
  update: v.optional(v.unknown()),
  lists: v.optional(strict({ before: keyList, after: keyList })),
})

/**
 * Verifies the changes between two sets. An update proves only the changes that it contains. The key lists of
 * both sets also prove that there were no other changes.
 *
 * @param before - result of `verifySet`
 * @param after - result of `verifySet` for the later set; you must know the order, for example by `timestamp`
 * @throws TypeError for a set that is not a result of `verifySet`, or an update that is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`; `PROOF_INVALID` if the salts differ, a change is not proved, the
 * sizes do not add up, or the lists differ from the signed ones or from the update; `CONFIG_INVALID` if
 * neither an update nor lists are given
 *
 * @example
 * ```ts
 * import { proveUpdate, sealSet, verifySet, verifyUpdate } from 'alvarium-sdk/sets'
 *
 * const [old, now] = [await sealSet([payload], { signingKey }), await sealSet([], { signingKey })]
 * const [before, after] = await Promise.all([old, now].map(({ message }) => verifySet(message, { keyring })))
 * const update = await proveUpdate(old.list, now.list)
 * const { added, removed, others } = await verifyUpdate(before, after, { update })
 * console.log(added.length, removed.length, others) // 0 1 claimed
 * ```
 */
export async function verifyUpdate(
  before: VerifiedSet,
  after: VerifiedSet,
  options: VerifyUpdateOptions,
): Promise<VerifiedUpdate> {
  assertVerifiedSet(before, 'before')
  assertVerifiedSet(after, 'after')
  const { update, lists } = readOptions(schema, options, 'verifyUpdate')
  if (before.salt !== after.salt) throw updateError('salt', 'the same salt for both sets', 'two salts')
  if (update === undefined && !lists) {
    throw needs('verifyUpdate', 'the option update or the option lists')
  }
  const proved = update === undefined ? undefined : await changesOfUpdate(update as Uint8Array, before, after)
  if (!lists) return { ...(proved as KeyChanges), others: 'claimed' }
  assertListOf(before, lists.before)
  assertListOf(after, lists.after)
  const found = await changesOfLists(lists)
  if (proved && !isSame(proved, found))
    throw new AlvariumError('PROOF_INVALID', 'update.changes: do not match the lists')
  return { ...found, others: 'checked' }
}

type KeyChanges = Pick<VerifiedUpdate, 'added' | 'removed'>

async function changesOfUpdate(
  message: Uint8Array,
  before: VerifiedSet,
  after: VerifiedSet,
): Promise<KeyChanges> {
  const update = readUpdate(message)
  if (update.before !== before.root)
    throw updateError('before', `${before.root}, the root of the set before`, update.before)
  if (update.after !== after.root)
    throw updateError('after', `${after.root}, the root of the set after`, update.after)
  const added = await keysOf(update.added, after, before)
  const removed = await keysOf(update.removed, before, after)
  const size = before.size + added.length - removed.length
  if (size === after.size) return { added, removed }
  throw updateError('changes', `changes from ${before.size} to ${after.size} keys`, `changes to ${size} keys`)
}

/**
 * Asserts that `has` contains the entries of changes, and that `lacks` does not. Returns them as payload
 * keys.
 */
async function keysOf(changes: readonly Change[], has: VerifiedSet, lacks: VerifiedSet): Promise<string[]> {
  const keys: string[] = []
  for (const { entry, absent, member } of changes) {
    await verifyTurns.yieldIfDue()
    const bytes = toBytes(entry) as Uint8Array
    assertMember(has, { ...member, entries: [entry] }, bytes)
    assertAbsent(lacks, absent, bytes)
    const key = entry.toUpperCase()
    const last = keys.at(-1)
    if (last !== undefined && last >= key)
      throw updateError('changes', 'ascending keys, each once', 'keys in another order')
    keys.push(key)
  }
  return keys
}

async function changesOfLists({ before, after }: { before: KeyList; after: KeyList }): Promise<KeyChanges> {
  const changed = { added: [] as string[], removed: [] as string[] }
  for await (const { change, entry } of compareLists(before, after)) {
    changed[change].push(toHex(entry).toUpperCase())
  }
  return changed
}

/** Compares changes key by key, and not as one string, because there may be millions of keys. */
function isSame(one: KeyChanges, other: KeyChanges): boolean {
  return (['added', 'removed'] as const).every(
    (list) =>
      one[list].length === other[list].length && one[list].every((key, at) => key === other[list][at]),
  )
}

function updateError(member: string, expectation: string, got: string) {
  return expected('PROOF_INVALID', `update.${member}`, expectation, got)
}
