import * as v from 'valibot'
import { integer, MAX_TIMEOUT_MS, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { brokerUrl, connection, type MqttConnectionOptions } from '../streams/mqtt/options.js'
import { PROMISES, type PromiseName } from './report.js'

/** Progress of a broker check. */
export interface CheckProgress {
  /** Short name of the step of the check that is in progress. */
  readonly step: string
  /** Number of messages that this step of the check has published or received so far. */
  readonly done: number
  /** Number of messages that the step publishes or expects in total. */
  readonly of: number
}

/** Options of {@link checkBroker}: the connection, as for `mqtt`, and the promises to check. */
export interface CheckBrokerOptions extends Omit<MqttConnectionOptions, 'url' | 'clientId'> {
  /** URL of one broker or cluster node, without credentials: `ws://`, `wss://`, `mqtt://` or `mqtts://`. */
  readonly url: string
  /** Promises to check. Default: all of them. */
  readonly promises?: readonly PromiseName[] | undefined
  /**
   * Number of messages to publish for an absent subscriber, 1 to 100,000. The check does not notice a queue
   * limit of the broker above this number. Default `1_500`, which finds Mosquitto's default limit of 1,000.
   */
  readonly messages?: number | undefined
  /**
   * Size in bytes of the largest message to try, from 1 KiB to 16 MiB. Default `131_072` (128 KiB), the
   * largest size of a batch of 256 bundles with one annotation each.
   */
  readonly largestBytes?: number | undefined
  /**
   * True to test at the end whether a subscriber and its messages survive a restart. Restart the broker when
   * `onProgress` reports the step `restart the broker now …`. Default `false`.
   */
  readonly restart?: boolean | undefined
  /**
   * Time limit of the whole check in milliseconds. A promise that is undecided by then is `unknown`. Cleaning
   * up takes up to 5,000 ms more. Default `60_000`.
   */
  readonly timeoutMs?: number | undefined
  /** Signal that ends the check. The check still removes its messages and sessions from the broker. */
  readonly signal?: AbortSignal | undefined
  /** Callback for progress. The check ignores its errors. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined
}

const { clientId: _clientId, url: _urls, ...reaching } = connection
/** Valibot schema of {@link CheckBrokerOptions}. Exported because the docs list its limits. */
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

export type CheckSettings = v.InferOutput<typeof schema>

export function readCheckOptions(options: CheckBrokerOptions): CheckSettings {
  return readOptions(schema, options)
}

/** Names of the steps of a broker check, as progress and reports show them. */
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

export type Step = (typeof STEPS)[keyof typeof STEPS]
