import * as v from 'valibot'
import { AlvariumError } from '../../../foundation/base/errors.js'
import {
  integer,
  isAnonymous,
  MAX_TIMEOUT_MS,
  readOptions,
  strict,
} from '../../../foundation/base/options/schema.js'
import { urlIn } from '../../../foundation/base/text/text.js'
import { platform } from '../../../foundation/platform/platform.js'
import { clientId } from './client-id.js'
import { mqttBytes, mqttText } from './text.js'

/** Certificates in PEM for `mqtts:` and `wss:`. Browsers ignore these options and use their own certificates. */
export interface MqttTls {
  /** Certificate authorities to trust instead of the system's certificate authorities. */
  readonly ca?: string | Uint8Array | undefined
  /** Client certificate, for brokers that require one. */
  readonly cert?: string | Uint8Array | undefined
  /** Private key of `cert`. */
  readonly key?: string | Uint8Array | undefined
  /** True if an invalid certificate ends the connection. Default `true`. */
  readonly rejectUnauthorized?: boolean | undefined
}

/** Connection options that {@link MqttOptions} and {@link ReceiveOptions} have in common. */
export interface MqttConnectionOptions {
  /**
   * URL of the broker without credentials: `ws://`, `wss://`, and outside of browsers also `mqtt://` or
   * `mqtts://`. For a cluster, pass several URLs, which the client tries in turn.
   */
  readonly url: string | readonly string[]
  /** Quality of service: 0 at most once, 1 at least once, 2 exactly once per connection. Default `1`. */
  readonly qos?: 0 | 1 | 2 | undefined
  readonly username?: string | undefined
  /** Password, which never appears in errors or log lines. */
  readonly password?: string | undefined
  /**
   * Client id at the broker. No other client may use it, because a broker disconnects an earlier client with
   * the same id. Default: `alvarium-` and 16 random hex digits.
   *
   * For replicas with one configuration, use `{hostname}` for the machine's name, as in
   * `'archive-{hostname}'` (not in browsers, where the name is unknown). A function returns the id when the
   * options are read.
   */
  readonly clientId?: string | (() => string) | undefined
  /** Seconds of silence after which the client pings the broker, or 0 for no pings. Default `60`. */
  readonly keepAliveSeconds?: number | undefined
  /** Milliseconds for each URL. Then the client tries the next, or `connect()` rejects. Default `10_000`. */
  readonly connectTimeoutMs?: number | undefined
  /** Certificates for `mqtts:` and `wss:`. */
  readonly tls?: MqttTls | undefined
  /** MQTT version: 5, or `4` for 3.1.1. Default: 5, or 3.1.1 if the broker refuses 5 or disconnects twice. */
  readonly protocolVersion?: 4 | 5 | undefined
}

/** Topics, limits and connection of an {@link mqtt} stream. */
export interface MqttOptions extends MqttConnectionOptions {
  /** One or more topics without wildcards. The stream publishes every message to each topic. */
  readonly topic: string | readonly string[]
  /** True if the broker should retain the last message for later subscribers. Default `false`. */
  readonly retain?: boolean | undefined
  /**
   * Maximum number of packets in flight (sent and not acknowledged), 1 to 65,535. A message has one packet
   * per topic. The broker's Receive Maximum (MQTT 5) can lower the limit, and the stream lowers it for a slow
   * broker, to as little as 1. Default `64`.
   */
  readonly maxInFlight?: number | undefined
  /**
   * Seconds after which the broker drops a message that it could not deliver (MQTT 5 only), 1 to
   * 4,294,967,295. Default: never.
   */
  readonly messageExpirySeconds?: number | undefined
  /**
   * True to send the media type with each message (MQTT 5 only). Default `false`, because a property
   * reduces the packets per second by a quarter.
   */
  readonly sendContentType?: boolean | undefined
  /** Names and values of user properties to send with each message (MQTT 5 only). They are not signed. */
  readonly userProperties?: Readonly<Record<string, string>> | undefined
  /** Milliseconds from `publish()` until it rejects with `STREAM_TIMEOUT`. Default `30_000`. */
  readonly publishTimeoutMs?: number | undefined
  /** Maximum milliseconds that `close()` waits for published messages to settle. Default `5_000`. */
  readonly closeTimeoutMs?: number | undefined
  /**
   * Handling of a message over `maxQueuedMessages` or `maxQueuedBytes`. `'reject'` rejects with `QUEUE_FULL`.
   * `'wait'` waits for room in the order of the calls, at most `publishTimeoutMs`. The number of waiting
   * calls has no limit: see `sdk.ready()`. A message longer than `maxQueuedBytes` is always rejected. Default
   * `'reject'`.
   */
  readonly whenFull?: 'reject' | 'wait' | undefined
  /**
   * Handling of a message that the broker acknowledges and drops, because its topic has no subscriber.
   * `'accept'` counts the message as accepted, as MQTT does. `'wait'` resends the message until someone
   * subscribes, within `publishTimeoutMs`. No message is then lost if a broker forgets its subscribers in a
   * restart.
   *
   * `'wait'` needs MQTT 5, a broker that reports missing subscribers, and QoS 1 or 2. Default: `'wait'` if
   * an outbox uses the stream and the topic has had a subscriber, according to the broker. Otherwise
   * `'accept'`.
   */
  readonly noSubscribers?: 'accept' | 'wait' | undefined
  /** Maximum number of unsettled published messages. `whenFull` applies at the limit. Default `10_000`. */
  readonly maxQueuedMessages?: number | undefined
  /** Maximum size of all unsettled published messages in bytes. Default `67_108_864` (64 MiB). */
  readonly maxQueuedBytes?: number | undefined
}

/** Options of {@link receive} for topic filters and delivery. {@link Durability} states when it needs a `clientId`. */
export interface ReceiveOptions extends MqttConnectionOptions {
  /**
   * One or more topic filters, which may contain `+` and `#`. A message that matches several filters is
   * delivered once, but in a `group` up to once for each filter.
   */
  readonly topic: string | readonly string[]
  /**
   * Name of a group of receivers that share the messages (`$share/<group>/<topic>`). Each message goes to one
   * receiver of the group. Brokers without shared subscriptions deliver nothing.
   */
  readonly group?: string | undefined
  /**
   * True if the broker stores the subscription, and messages that arrive while the receiver is offline. The
   * broker's settings limit the number of messages: see `checkBroker` of `alvarium-command/doctor`. The
   * option `clientId` is then required. Choose an id that survives restarts of the process, and that no other
   * client has. The broker also keeps topics of earlier subscriptions with the same id.
   *
   * If `false`, messages that arrive while the receiver is offline are lost, even during a restart of the
   * broker. The same is true of QoS 0, because brokers do not store such messages. Default `true`, with QoS 0
   * `false`.
   */
  readonly durable?: boolean | undefined
  /**
   * Maximum number of received, unacknowledged messages, 1 to 65,535. They are verified in batches, and a
   * durable subscription redelivers them if the process dies. Reading also pauses when they total 4 MiB.
   * Default `64`.
   */
  readonly prefetch?: number | undefined
}

/** Type that requires a `clientId` unless `durable` is false, because brokers store messages by client id. */
export type Durability = { readonly durable: false } | { readonly clientId: string | (() => string) }

const milliseconds = (fallback: number) => integer(1, MAX_TIMEOUT_MS, fallback)
const text = v.pipe(v.string('a string'), v.nonEmpty('a string that is not empty'))

const schemes = () => platform.mqttSchemes.map((scheme) => `${scheme}://`)
export const brokerUrl = v.pipe(
  v.string('a URL'),
  v.check((url) => (urlIn(url)?.hostname ?? '') !== '', 'a URL'),
  v.check(
    (url) => schemes().some((scheme) => url.startsWith(scheme)),
    () => `a URL with ${schemes().join(', ')}`,
  ),
  v.check(isAnonymous, 'a URL without user and password: username and password have their own options'),
)

const brokerUrls = v.lazy((given) =>
  Array.isArray(given)
    ? v.pipe(v.array(brokerUrl, 'a URL or an array of URLs'), v.minLength(1, 'at least one URL'))
    : v.pipe(
        brokerUrl,
        v.transform((url) => [url]),
      ),
)

/** Valibot schema of a topic name, which has no wildcards. */
export const topicName = v.pipe(
  text,
  mqttText('a topic'),
  v.check((topic) => !/[+#]/.test(topic), 'a topic without the wildcards + and #'),
)

/** Returns whether wildcards are valid: `+` must be an entire level, `#` the entire last level (MQTT 5, 4.7.1). */
const isFilter = (filter: string) => /^([^+#/]*|\+)(\/([^+#/]*|\+))*(\/#)?$|^#$/.test(filter)
const topicFilter = v.pipe(
  text,
  mqttText('a topic filter'),
  v.check(isFilter, 'a topic filter with + and # only as whole levels, # last'),
)

const oneOrMore = <T extends typeof topicName | typeof topicFilter>(topic: T) =>
  v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'string' ? [value] : value)),
    v.pipe(v.array(topic, 'a topic or an array of topics'), v.minLength(1, 'at least one topic')),
  )

const pem = v.optional(v.union([v.string(), v.instance(Uint8Array)], 'PEM, as a string or a Uint8Array'))
const flag = v.boolean('true or false')

/** Valibot schemas of {@link MqttConnectionOptions}. */
export const connection = {
  url: brokerUrls,
  qos: v.optional(v.picklist([0, 1, 2], '0, 1 or 2'), 1),
  username: v.optional(mqttText()),
  password: v.optional(mqttBytes),
  clientId,
  keepAliveSeconds: integer(0, 65_535, 60),
  connectTimeoutMs: milliseconds(10_000),
  tls: v.optional(strict({ ca: pem, cert: pem, key: pem, rejectUnauthorized: v.optional(flag) }), {}),
  protocolVersion: v.optional(v.picklist([4, 5], '4 or 5')),
}

/** Valibot schema of {@link MqttOptions}, exported for the documentation page of limits. */
export const publishing = strict({
  ...connection,
  topic: oneOrMore(topicName),
  retain: v.optional(flag, false),
  maxInFlight: integer(1, 65_535, 64),
  messageExpirySeconds: v.optional(integer(1, 0xffff_ffff, 1)),
  sendContentType: v.optional(flag, false),
  userProperties: v.optional(v.record(mqttText('a name'), mqttText(), 'an object of strings')),
  publishTimeoutMs: milliseconds(30_000),
  closeTimeoutMs: milliseconds(5_000),
  whenFull: v.optional(v.picklist(['reject', 'wait'], 'reject or wait'), 'reject'),
  noSubscribers: v.optional(v.picklist(['accept', 'wait'], 'accept or wait')),
  maxQueuedMessages: integer(1, Number.MAX_SAFE_INTEGER, 10_000),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * 1024 * 1024),
})

export const topicFilters = oneOrMore(topicFilter)

const groupName = v.pipe(
  text,
  mqttText('a name'),
  v.check((group) => !/[+#/]/.test(group), 'a name without + # /'),
)

/** Valibot schema of {@link ReceiveOptions}, exported for the documentation page of limits. */
export const receiving = strict({
  ...connection,
  topic: topicFilters,
  group: v.optional(groupName),
  durable: v.optional(flag),
  prefetch: integer(1, 65_535, 64),
})

export const RECEIVE_OPTIONS: readonly string[] = Object.keys(receiving.entries)

export type MqttSettings = v.InferOutput<typeof publishing>
/** Checked options of `receive` with defaults, and with `clean` in place of `durable`. */
export type ReceiveSettings = Omit<v.InferOutput<typeof receiving>, 'durable'> & { readonly clean: boolean }
/** Checked connection options for publishing or receiving. A `clean` session ends with its connection. */
export type ConnectionSettings = Pick<MqttSettings, keyof MqttConnectionOptions> & { clean?: boolean }

/** @throws AlvariumError `CONFIG_INVALID` that names the first invalid option */
export function readMqttOptions(options: MqttOptions): MqttSettings {
  const settings = readOptions(publishing, options, 'stream')
  const { noSubscribers, qos, protocolVersion } = settings
  if (noSubscribers === 'wait' && (qos === 0 || protocolVersion === 4)) {
    const other = qos === 0 ? 'qos 0' : 'protocolVersion 4'
    throw new AlvariumError('CONFIG_INVALID', `noSubscribers: wait cannot be combined with ${other}`)
  }
  return settings
}

/** @throws AlvariumError `CONFIG_INVALID` that names the first invalid option */
export function readReceiveOptions(options: ReceiveOptions): ReceiveSettings {
  const { durable, ...settings } = readOptions(receiving, options)
  if (durable && settings.qos === 0) throw new AlvariumError('CONFIG_INVALID', DURABLE_QOS_0)
  const clean = !(durable ?? settings.qos > 0)
  if (!clean && options.clientId === undefined) throw new AlvariumError('CONFIG_INVALID', NO_CLIENT_ID)
  return { ...settings, clean }
}

const DURABLE_QOS_0 = 'durable: cannot be combined with qos 0: no broker keeps such messages'
const NO_CLIENT_ID =
  'clientId: needs a name of this subscriber, for which the broker keeps messages while the subscriber is away; ' +
  'or write durable: false, and such messages are missed'
