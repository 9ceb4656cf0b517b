import { describe } from '../../../foundation/base/errors.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'

/** Verified bundles to export, as an array or a generator such as `readPack` returns. */
export type ExportedBundles = Iterable<VerifiedBundle> | AsyncIterable<VerifiedBundle>

/**
 * Yields each bundle once, even if several messages contain it. The ids take about 100 bytes for each bundle.
 *
 * @throws TypeError for a value that is not a verified bundle, such as a message
 */
export async function* eachOnce(bundles: ExportedBundles): AsyncGenerator<VerifiedBundle, void> {
  const ids = new Set<string>()
  for await (const bundle of bundles) {
    const id: unknown = bundle?.id
    if (typeof id !== 'string') {
      throw new TypeError(`bundles: expected verified bundles, got ${describe(bundle)}`)
    }
    if (ids.has(id)) continue
    ids.add(id)
    yield bundle
  }
}
