import type { KeyEntry, PolicyKey } from 'alvarium-sdk/trust'
import { instantOf } from '../../evidence/trust/policy/instant.js'
import { invalid } from '../fault.js'
import { EXIT, type Run } from '../session.js'
import { tellDifference } from './difference.js'
import { keyTextIn } from './key-text.js'
import { type Edit, PolicyFile } from './policy-file.js'

interface RotateOptions {
  readonly trust?: string
  readonly key?: readonly string[]
  readonly until?: string
  readonly dryRun?: boolean
}

/** Default overlap of the old keys and the new key in milliseconds: 24 hours. */
const OVERLAP_MS = 24 * 60 * 60 * 1000

export const run: Run<RotateOptions> = async ([name = ''], options, { out }) => {
  const { trust, key = [], dryRun } = options
  const file = await PolicyFile.open(trust)
  const { at, signer } = file.signer(name)
  const [path, ...more] = key
  if (path === undefined || more.length > 0)
    throw invalid('--key', 'one file, with the new public key', `${key.length}`)
  const until = options.until ?? inSeconds(Date.now() + OVERLAP_MS)
  const ended = signer.keys.flatMap((one, index): Edit[] => {
    const value = endedAt(one, until)
    return value ? [{ path: ['signers', at, 'keys', index], value }] : []
  })
  const added = { path: ['signers', at, 'keys', signer.keys.length], value: await keyTextIn(path) }
  await tellDifference(await file.edit([...ended, added], dryRun), out)
  return EXIT.yes
}

/** Returns a key that is valid until `until`; undefined if its validity already ends then or earlier. */
function endedAt(one: PolicyKey | KeyEntry, until: string): KeyEntry | undefined {
  const entry = entryOf(one)
  return entry.until !== undefined && isBy(entry.until, until) ? undefined : { ...entry, until }
}

/** Wraps a key as `{ key }`. Returns a `KeyEntry`, which can have times of validity, unchanged. */
export function entryOf(one: PolicyKey | KeyEntry): KeyEntry {
  return typeof one === 'object' && 'key' in one ? one : { key: one }
}

/** Returns whether a time is not later than another; false for an invalid time. */
export function isBy(time: string, other: string): boolean {
  const [a, b] = [instantOf(time), instantOf(other)]
  return a !== undefined && b !== undefined && a.ns <= b.ns
}

export function inSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
