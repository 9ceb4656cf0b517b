import * as v from 'valibot'
import { isBytes, needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { type ReceiveOptions, topicFilters } from '../../transport/streams/mqtt/options.js'
import { controlTopics } from './control-messages.js'

/** Options for leases. A lease permits another key, outside of the trust policy, for some time. */
export interface SubscribedLeases {
  /**
   * Topic filters on which leases arrive. Default: `<topic>/signers` for each topic of the subscription that
   * does not end with `#`. A topic with `#` matches its leases itself.
   */
  readonly topic?: string | readonly string[] | undefined
  /** Leases that earlier calls of `onLease` received. Invalid leases are logged. */
  readonly known?: readonly Uint8Array[] | undefined
  /**
   * Callback for each new lease with a valid issuer signature, called before the lease is acknowledged. Store
   * the lease, because the broker does not deliver it again after a restart. A returned promise is awaited
   * for at most 10 seconds. If the callback fails, the loop ends.
   */
  readonly onLease?: ((lease: Uint8Array) => unknown) | undefined
}

/** Valibot schema of {@link SubscribedLeases}. Exported because the docs list its limits. */
export const schema = strict({
  topic: v.optional(topicFilters),
  known: v.optional(v.array(v.custom<Uint8Array>(isBytes, 'bytes'), 'an array of leases')),
  onLease: v.optional(
    v.custom<(lease: Uint8Array) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
})

export interface LeaseSettings extends Omit<SubscribedLeases, 'topic'> {
  readonly topic: readonly string[]
}

export function readLeaseOptions(
  given: true | SubscribedLeases,
  { topic: bundles, group }: Pick<ReceiveOptions, 'topic' | 'group'>,
): LeaseSettings {
  const { topic, ...more } = readOptions(schema, given === true ? {} : given, 'leases')
  if (topic) return { ...more, topic }
  const filters = [bundles].flat()
  const controlFilters = controlTopics(filters)
  // Refuse filters that end with `#` in a group, because each member would receive only some leases.
  if (group === undefined || controlFilters.length === filters.length)
    return { ...more, topic: controlFilters }
  throw needs(
    'leases.topic',
    'the topic filters of the leases, because in a group, a topic that ends with # delivers a lease to only one member',
  )
}
