import * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { brokerUrl, connection, type MqttConnectionOptions } from '../streams/mqtt/options.js'
import { PROMISES, type PromiseName } from './report.js'

/** Progress of a check. */
export interface CheckProgress {
  /** Name of the step in progress, in a few words. */
  readonly step: string
  /** Messages of this step so far. */
  readonly done: number
  /** Messages that this step needs. */
  readonly of: number
}

/** Options of {@link checkBroker}: how to reach the broker, as for `mqtt`, and what to check. */
export interface CheckBrokerOptions extends Omit<MqttConnectionOptions, 'url' | 'clientId'> {
  /** `ws://`, `wss://`, `mqtt://` or `mqtts://`: one broker, or one node of a cluster. No credentials inside. */
  readonly url: string
  /** Promises to check. Default: all of them. */
  readonly promises?: readonly PromiseName[] | undefined
  /**
   * Number of messages to publish for an absent subscriber, 1 to 100,000. The check does not notice a limit above this
   * number. Default `1_500`, which finds a limit of 1,000, the default of Mosquitto.
   */
  readonly messages?: number | undefined
  /**
   * Size of the largest message to try, in bytes, 1 KiB to 16 MiB. Default `131_072` (128 KiB), the largest size of a
   * batch of 256 bundles with one annotation each.
   */
  readonly largestBytes?: number | undefined
  /**
   * True to wait at the end until the connection is lost and the broker is back: restart the broker when `onProgress`
   * has the step `restart the broker now …`. The check then reports whether a subscriber and its messages survive a
   * restart. Default `false`.
   */
  readonly restart?: boolean | undefined
  /**
   * Milliseconds for the whole check. A promise that is undecided by then is `unknown`. Cleaning up takes up to 5,000
   * more. Default `60_000`.
   */
  readonly timeoutMs?: number | undefined
  /** Signal that ends the check. The check first cleans up at the broker. */
  readonly signal?: AbortSignal | undefined
  /** Callback for progress. Its errors are ignored. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined
}

const { clientId: _clientId, url: _urls, ...reaching } = connection
/** Schema of the options. Exported for the page of limits. */
export const schema = strict({
  ...reaching,
  url: brokerUrl,
  promises: v.optional(
    v.pipe(v.array(oneOf(PROMISES), 'an array of promises'), v.minLength(1, 'at least one promise')),
    [...PROMISES],
  ),
  messages: integer(1, 100_000, 1_500),
  largestBytes: integer(1024, 16 * 1024 * 1024, 128 * 1024),
  restart: v.optional(v.boolean('true or false'), false),
  timeoutMs: integer(1, MAX_TIMEOUT_MS, 60_000),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  onProgress: v.optional(
    v.custom<(progress: CheckProgress) => void>((value) => typeof value === 'function', 'a function'),
  ),
})

/** Options with every default filled in. */
export type CheckSettings = v.InferOutput<typeof schema>

/**
 * Checks the options and fills in the defaults.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work
 */
export function readCheckOptions(options: CheckBrokerOptions): CheckSettings {
  return readOptions(schema, options)
}

/** Steps of a check, in words for people. */
export const STEPS = {
  subscribeQos: 'QoS of a subscription',
  publishQos: 'QoS of a message',
  software: 'the kind of broker',
  roundTrip: 'round trips',
  takeover: 'two clients with one clientId',
  backlog: 'messages for a subscriber that is away',
  retained: 'a retained message',
  sharing: 'messages for a group',
  size: 'a large message',
  restart: 'restart the broker now: waiting until it is back',
} as const

/** One of the {@link STEPS}. */
export type Step = (typeof STEPS)[keyof typeof STEPS]
