import { readOptions } from '../../../foundation/base/options/schema.js'
import { controlTopics } from '../../../verifying/consume/control-messages.js'
import { type CompletenessWatch, WATCH } from '../../../verifying/consume/watch.js'
import { schema, type WatchOptions } from './options.js'
import { Watch } from './watch.js'

/**
 * Finds signed messages that do not arrive at a subscription while it runs, in bounded memory. Each finding is an
 * event `incomplete` of the subscription, and its `stats()` count them.
 *
 * Remembers at most 65,536 signers, about 2 KB each, and as many public keys. Also 1,000,000 messages of all signers,
 * about 150 bytes each, and 256 MiB of checkpoints that wait, 32 MiB of one signer. Beyond that, the least recently
 * active signer is forgotten, or the new checkpoint. Their messages then count as `unknown`, and are no findings.
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
      topics: (filters) => topic ?? controlTopics(filters),
      begin: (context) => new Watch(settings, context),
      onCheckpoint,
    },
  }
}
