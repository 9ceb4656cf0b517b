import type { PackSubject } from 'alvarium-sdk/packs'
import type { PayloadName } from 'alvarium-sdk/score'
import { type KeyList, type VerifiedSet, verifySet } from 'alvarium-sdk/sets'
import { MAX_ANCESTORS } from '../../evidence/packs/pack-scores.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { invalid, pathText } from '../fault.js'
import type { TrustedAt } from '../keys/trusted.js'
import type { Session } from '../session.js'
import { listIn, messageIn } from '../set/files.js'

export interface ListedSet {
  readonly set: VerifiedSet
  readonly list: KeyList
}

export async function setAt(path: string, trust: TrustedAt, session: Session) {
  const message = await messageIn(path, session)
  return { message, set: await verifySet(message, { keyring: trust.keyring, receivedAt: trust.receivedAt }) }
}

/**
 * Returns the sets with lists in `--list`. Verifies their signatures first, because the signed size limits
 * how much of a list is read.
 *
 * @param messages - set messages among the sources
 */
export async function listedSets(
  paths: readonly string[],
  messages: readonly Uint8Array[],
  trust: TrustedAt,
  session: Session,
): Promise<ListedSet[]> {
  const sets = paths.length > 0 ? await verifiedSets(messages, trust) : []
  const longest = sets.reduce((maxSize, { size }) => Math.max(maxSize, size), 0)
  const found: ListedSet[] = []
  for (const path of paths) {
    const list = await listAt(path, longest, session)
    const matches = sets.filter(({ size, root }) => size === list.size && root === list.root)
    if (matches.length === 0)
      throw invalid('--list', 'the list of a set whose message is in the sources', pathText(path))
    if (matches.some(({ salt }) => salt !== undefined))
      throw invalid(
        '--list',
        'the list of a set without a salt, because a pack cannot contain a salt',
        pathText(path),
      )
    for (const set of matches) found.push({ set, list })
  }
  return found
}

async function verifiedSets(messages: readonly Uint8Array[], trust: TrustedAt): Promise<VerifiedSet[]> {
  const sets = new Map<string, VerifiedSet>()
  for (const message of messages) {
    try {
      const set = await verifySet(message, { keyring: trust.keyring, receivedAt: trust.receivedAt })
      sets.set(set.id, set)
    } catch (error) {
      // Skip the message, which the pack reports as one that did not verify.
      if (!(error instanceof AlvariumError)) throw error
    }
  }
  return [...sets.values()]
}

async function listAt(path: string, longest: number, session: Session): Promise<KeyList> {
  try {
    return await listIn(path, undefined, session, longest)
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'MESSAGE_MALFORMED') throw error
    throw invalid(
      '--list',
      `the list of a set whose message is in the sources`,
      `${pathText(path)}: ${error.message}`,
    )
  }
}

/**
 * Returns the sets that the pack lists in full: the set that the pack is about, or the sets that the payload
 * was made from.
 *
 * @param behind - returns the ids of the sets that a payload was made from, directly or through other
 * payloads
 */
export function shownOf(
  listed: readonly ListedSet[],
  about: PackSubject,
  behind: (payload: PayloadName) => ReadonlySet<string>,
): readonly ListedSet[] {
  if ('set' in about)
    return assertSome(
      about.set,
      listed.filter(({ set }) => set.id === about.set),
    )
  if (!('payload' in about)) return []
  const ids = behind(about.payload)
  const shown = listed.filter(({ set }) => ids.has(set.id))
  for (const { list } of listed) if (!shown.some((one) => one.list === list)) throw useless(list)
  const count = shown.reduce((sum, { list }) => sum + list.size, 0)
  if (count <= MAX_ANCESTORS) return shown
  throw invalid('--list', `at most ${MAX_ANCESTORS} payloads, the limit of a score`, `${count}`)
}

function assertSome(set: string, listed: readonly ListedSet[]): readonly ListedSet[] {
  if (listed.length > 0) return listed
  throw invalid('--list', `the list of the set ${set}`, 'the list of another set')
}

function useless({ size }: KeyList): AlvariumError {
  return invalid(
    '--list',
    'the list of a set that the payload was made from',
    `the list of another set, of ${size} payloads`,
  )
}
