import { collect } from './collecting.js'
import { newEntries } from './entries.js'
import type { SetItem } from './entry.js'
import { Manifest } from './manifest.js'
import {
  assertManifest,
  type ManifestStatement,
  manifestIdentity,
  writeManifest,
} from './manifest-message.js'
import { NOTHING, type SealSetOptions, sealing } from './seal-set.js'
import { Tree } from './tree.js'
import { verifiedManifest } from './verify-manifest.js'

/**
 * Signs one root over the payload keys of records in their order. Equal records count each time. With the
 * manifest's file, `check` finds which record of the data was altered, is missing, was added or has moved.
 * Keys are those of hash `sha256`.
 *
 * @param records - records of `readRecords`, payloads, or payload keys: an array, or any iterable
 * @param options - options of `sealSet`. A `salt` keeps readers without it from guessing short records by their keys
 * @throws TypeError for an item of another type
 * @throws AlvariumError the errors of `sealSet`. Errors of the iterable are not wrapped
 *
 * @example
 * ```ts
 * import { readRecords } from 'alvarium-sdk/records'
 * import { sealManifest } from 'alvarium-sdk/sets'
 *
 * const file = new Blob(['id,celsius\n1,21.4\n2,19.8\n'])
 * const records = readRecords(file.stream(), { format: 'csv' })
 * const { statement } = await sealManifest(records, { signingKey, name: 'readings.csv' })
 * console.log(statement.size) // 2
 * ```
 */
export async function sealManifest(
  records: Iterable<SetItem> | AsyncIterable<SetItem>,
  options: SealSetOptions,
): Promise<Manifest> {
  const { around, salt, sign } = await sealing(options, 'sealManifest')
  // Report an invalid statement before all records are read.
  assertManifest({ ...around, ...NOTHING })
  const entries = newEntries()
  await collect(records, salt, { add: (group) => entries.addAll(group) })
  const tree = await Tree.over(entries)
  const statement: ManifestStatement = { ...around, size: entries.length, root: tree.root }
  const message = writeManifest({ ...statement, signature: await sign(manifestIdentity(statement)) })
  return new Manifest(message, verifiedManifest(statement, salt), { entries, tree, salt })
}
