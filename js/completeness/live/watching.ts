import { readOptions } from '../../base/options/schema.js'
import { topicsBeside } from '../../consume/beside.js'
import { type CompletenessWatch, WATCH } from '../../consume/watch.js'
import { schema, type WatchOptions } from './options.js'
import { Watch } from './watch.js'

/**
 * Finds what signers signed and what does not come to a subscription: while it runs, in memory that has a bound. Each finding is an event
 * `incomplete` of the subscription, and its `stats()` count them.
 *
 * At most 65,536 signers are remembered, about 2 KB each, as many public keys, 1,000,000 messages of all of them, about 150 bytes each, and 256 MiB of
 * checkpoints that wait, 32 MiB of one signer. Beyond that the signer that was silent for longest is forgotten, or the checkpoint that
 * comes: what they say then counts as `unknown`, and is no finding.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { subscribe } from 'alvarium-sdk'
 * import { completeness } from 'alvarium-sdk/completeness'
 *
 * const bundles = subscribe({ url, topic: 'alvarium-topic', keyring, clientId: 'archive-1', completeness: completeness() })
 * bundles.addEventListener('incomplete', ({ finding }) => console.warn(finding.text))
 * for await (const { id } of bundles) console.log(id)
 * ```
 */
export function completeness(options: WatchOptions = {}): CompletenessWatch {
  const settings = readOptions(schema, options, 'completeness')
  const { topic, graceMs, onCheckpoint } = settings
  return {
    graceMs,
    [WATCH]: {
      topics: (filters) => topic ?? topicsBeside(filters),
      begin: (context) => new Watch(settings, context),
      onCheckpoint,
    },
  }
}
