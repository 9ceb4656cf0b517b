import * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, oneOf, readOptions, strict } from '../base/options/schema.js'
import { brokerUrl, connection, type MqttConnectionOptions } from '../streams/mqtt/options.js'
import { PROMISES, type PromiseName } from './report.js'

/** Progress of a check. */
export interface CheckProgress {
  /** What is being tried, in a few words. */
  readonly step: string
  /** Messages of this step so far. */
  readonly done: number
  /** Messages that this step needs. */
  readonly of: number
}

/** Options of {@link checkBroker}: how to reach the broker, as for `mqtt`, and what to try. */
export interface CheckBrokerOptions extends Omit<MqttConnectionOptions, 'url' | 'clientId'> {
  /** `ws://`, `wss://`, `mqtt://` or `mqtts://`: one broker, or one node of a cluster. No credentials inside. */
  readonly url: string
  /** Which promises to check. Default: all of them. */
  readonly promises?: readonly PromiseName[] | undefined
  /**
   * How many messages to publish for a subscriber that is away, 1 to 100,000. A limit above this number does not show. Default
   * `1_500`, which finds a limit of 1,000, the default of Mosquitto.
   */
  readonly messages?: number | undefined
  /**
   * Bytes of the largest message to try, 1 KiB to 16 MiB. Default `131_072` (128 KiB), as a batch of 256 bundles has at most with one
   * annotation each.
   */
  readonly largestBytes?: number | undefined
  /**
   * Waits at the end until the connection is lost, and the broker is back: restart the broker when `onProgress` has the step `restart the
   * broker now …`. Then the check knows whether a subscriber and its messages survive that. Default `false`.
   */
  readonly restart?: boolean | undefined
  /** Milliseconds for the whole check. What was not found out by then is `unknown`. Cleaning up takes up to 5,000 more. Default `60_000`. */
  readonly timeoutMs?: number | undefined
  /** Ends the check. The broker is cleaned up first. */
  readonly signal?: AbortSignal | undefined
  /** Called as the check goes on. What it throws is ignored. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined
}

const { clientId: _clientId, url: _urls, ...reaching } = connection
/** The page of limits shows it. */
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
  timeoutMs: integer(1, LONGEST_TIMEOUT, 60_000),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  onProgress: v.optional(
    v.custom<(progress: CheckProgress) => void>((value) => typeof value === 'function', 'a function'),
  ),
})

/** What the options say, with every default filled in. */
export type CheckSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readCheckOptions(options: CheckBrokerOptions): CheckSettings {
  return readOptions(schema, options)
}

/** What a check tries, in words for people. */
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

/** One of them. */
export type Step = (typeof STEPS)[keyof typeof STEPS]
