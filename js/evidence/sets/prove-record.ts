import { expected } from '../../foundation/base/errors.js'
import { CONTENTS, type Manifest } from './manifest.js'
import { writeProof, written } from './proof-message.js'
import { pathOf } from './run.js'

/**
 * Proves the position of a payload key in a manifest.
 *
 * @param manifest - whole manifest, from `sealManifest` or `openManifest`
 * @param number - number of the record, from 1
 * @returns proof as a message: at 1,000,000 records about 1,100 bytes, 640 of them hashes
 * @throws AlvariumError `PROOF_INVALID` when the manifest has no record of that number
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
    const what = size === 0 ? 'none, as there are no records' : `1 to ${size}`
    throw expected('PROOF_INVALID', 'number', what, `${number}`)
  }
  const index = number - 1
  const path = pathOf({ index, count: 1, size }, (level, at) => tree.node(level, at))
  return writeProof({ says: 'member', root: tree.root, index, ...written([entries.at(index)], path) })
}
