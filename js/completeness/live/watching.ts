import { readOptions } from '../../base/options/schema.js'
import { topicsBeside } from '../../consume/beside.js'
import { type CompletenessWatch, WATCH } from '../../consume/watch.js'
import { schema, type WatchOptions } from './options.js'
import { Watch } from './watch.js'

/**
 * Finds what signers signed and what does not come to a subscription: while it runs, in memory that does not grow with it. Each finding is
 * an event `incomplete` of the subscription, and its `stats()` count them.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { subscribe } from 'alvarium-sdk'
 * import { completeness } from 'alvarium-sdk/completeness'
 *
 * const bundles = subscribe({ url, topic: 'alvarium-topic', keyring, completeness: completeness() })
 * bundles.addEventListener('incomplete', ({ finding }) => console.warn(finding.text))
 * for await (const { id } of bundles) console.log(id)
 * ```
 */
export function completeness(options: WatchOptions = {}): CompletenessWatch {
  const settings = readOptions(schema, options, 'completeness')
  const { topic, graceMs } = settings
  return {
    graceMs,
    [WATCH]: {
      topics: (filters) => topic ?? topicsBeside(filters),
      begin: (context) => new Watch(settings, context),
    },
  }
}
