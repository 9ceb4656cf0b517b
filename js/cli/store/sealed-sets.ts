import { type VerifiedSet, verifySet } from 'alvarium-sdk/sets'
import type { ScoreOptions } from 'alvarium-sdk/store'
import { MAX_ANCESTORS } from '../../evidence/packs/pack-scores.js'
import { needs } from '../../foundation/base/errors.js'
import { invalid, pathText } from '../fault.js'
import { type StoredOptions, trustedAt } from '../keys/trusted.js'
import type { Session } from '../session.js'
import { listIn, messageIn } from '../set/files.js'

export interface SetOptions extends StoredOptions {
  readonly set?: readonly string[]
  readonly list?: readonly string[]
}

/**
 * Reads the payload keys of the sets in `--set` from their lists. Verifies the signatures first, because the
 * signed size limits how much of a list is read.
 */
export async function setsIn(options: SetOptions, session: Session): Promise<ScoreOptions> {
  const { set: paths = [], list: lists = [] } = options
  if (paths.length === 0) assertNone(options)
  if (paths.length === 0) return {}
  const { keyring, receivedAt } = await trustedAt(options, session.err)
  const [sets, found] = [new Map<string, VerifiedSet>(), new Map<string, Iterable<string>>()]
  for (const path of paths) {
    const set = await verifySet(await messageIn(path, session), { keyring, receivedAt })
    if (set.salt !== undefined)
      throw invalid(
        '--set',
        'a set without a salt, because the list of a salted set has only salted hashes',
        pathText(path),
      )
    sets.set(path, set)
  }
  const longest = Math.max(...[...sets.values()].map(({ size }) => size))
  for (const path of lists) {
    const list = await listIn(path, undefined, session, longest)
    const matches = [...sets.values()].filter(({ size, root }) => size === list.size && root === list.root)
    if (matches.length === 0)
      throw invalid('--list', 'the list of a set that is given with --set', pathText(path))
    for (const { id } of matches) found.set(id, list.keys())
  }
  for (const [path, { id }] of sets)
    if (!found.has(id)) throw needs('--list', `the list of the set in ${pathText(path)}`)
  // Limit the ancestors of a payload to as many as evidence packs permit.
  return { sets: found, limit: MAX_ANCESTORS }
}

function assertNone({ list, key, receivedAt }: SetOptions): void {
  const given = Object.entries({ list, key, 'received-at': receivedAt }).find(
    ([, value]) => value !== undefined,
  )
  if (given) throw needs('--set', `the message of a set for --${given[0]}`)
}
