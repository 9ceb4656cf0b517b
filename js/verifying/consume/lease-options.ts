import * as v from 'valibot'
import { expected, isBytes } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { type ReceiveOptions, topicFilters } from '../../transport/streams/mqtt/options.js'
import { controlTopics } from './control-messages.js'

/** Options for leases, which permit keys that are not in the trust policy. */
export interface SubscribedLeases {
  /** Topic filters of leases. Default: `<topic>/signers` for each topic. */
  readonly topic?: string | readonly string[] | undefined
  /** Leases from earlier calls of `onLease`. Invalid ones are logged. */
  readonly known?: readonly Uint8Array[] | undefined
  /**
   * Callback for each new lease that its issuer has signed, before it is acknowledged: store it. After a restart, the
   * broker has unprocessed messages, but not the leases. A returned promise is awaited for at most 10 s; an exception
   * ends the loop.
   */
  readonly onLease?: ((lease: Uint8Array) => unknown) | undefined
}

/** Schema of the options. The page of limits is generated from it. */
export const schema = strict({
  topic: v.optional(topicFilters),
  known: v.optional(v.array(v.custom<Uint8Array>(isBytes, 'bytes'), 'an array of leases')),
  onLease: v.optional(
    v.custom<(lease: Uint8Array) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
})

/** Options with every default filled in. */
export interface LeaseSettings extends Omit<SubscribedLeases, 'topic'> {
  readonly topic: readonly string[]
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function readLeaseOptions(
  given: true | SubscribedLeases,
  { topic: bundles, group }: Pick<ReceiveOptions, 'topic' | 'group'>,
): LeaseSettings {
  const { topic, ...more } = readOptions(schema, given === true ? {} : given, 'leases')
  if (topic) return { ...more, topic }
  const filters = [bundles].flat()
  const beside = controlTopics(filters)
  // A filter that ends with # also receives leases. In a group, however, each member receives only a part of them.
  if (group === undefined || beside.length === filters.length) return { ...more, topic: beside }
  const why = 'topic filters, as each member of a group needs all leases, and topic ends with #'
  throw expected('CONFIG_INVALID', 'leases.topic', why, 'none')
}
