import * as v from 'valibot'
import { expected, isBytes } from '../base/errors.js'
import { readOptions, strict } from '../base/options/schema.js'
import { type ReceiveOptions, topicFilters } from '../streams/mqtt/options.js'
import { topicsBeside } from './beside.js'

/** How a subscription gets the leases by which keys sign that the trust policy does not have. */
export interface SubscribedLeases {
  /** Topic filters where leases come. Default: `<topic>/signers` for each topic. */
  readonly topic?: string | readonly string[] | undefined
  /** Leases that are known at the beginning: those that `onLease` got before. Those that are not good are logged. */
  readonly known?: readonly Uint8Array[] | undefined
  /**
   * Gets each new lease that its issuer has signed, before it is acknowledged: store it. After a restart the broker has what was
   * not processed, and not the leases. What it returns is awaited for at most 10 s; what it throws ends the loop.
   */
  readonly onLease?: ((lease: Uint8Array) => unknown) | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  topic: v.optional(topicFilters),
  known: v.optional(v.array(v.custom<Uint8Array>(isBytes, 'bytes'), 'an array of leases')),
  onLease: v.optional(
    v.custom<(lease: Uint8Array) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
})

/** What the options say, with every default filled in. */
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
  const beside = topicsBeside(filters)
  // What ends with # has them too, but of a group each member has a part of it.
  if (group === undefined || beside.length === filters.length) return { ...more, topic: beside }
  const why = 'topic filters, as each member of a group needs all leases, and topic ends with #'
  throw expected('CONFIG_INVALID', 'leases.topic', why, 'none')
}
