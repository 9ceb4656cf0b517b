import * as v from 'valibot'
import { AlvariumError, expected } from '../../../foundation/base/errors.js'
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

/** Certificates for `mqtts:` and `wss:`, in PEM. Browsers use their own and ignore these. */
export interface MqttTls {
  /** Certificate authorities to trust instead of the system's. */
  readonly ca?: string | Uint8Array | undefined
  /** Client certificate, for brokers that require one. */
  readonly cert?: string | Uint8Array | undefined
  /** Private key of `cert`. */
  readonly key?: string | Uint8Array | undefined
  /** True if an invalid certificate ends the connection. Default `true`. */
  readonly rejectUnauthorized?: boolean | undefined
}

/** Connection options that publishing and receiving have in common. */
export interface MqttConnectionOptions {
  /**
   * URL of the broker: `ws://`, `wss://`, `mqtt://` or `mqtts://`, without credentials; browsers only support the first
   * two. Or several URLs of one cluster: if one cannot be reached, the next is tried, and after the last the first
   * again.
   */
  readonly url: string | readonly string[]
  /** Quality of service. 0: at most once, 1: at least once, 2: exactly once while the connection holds. Default `1`. */
  readonly qos?: 0 | 1 | 2 | undefined
  readonly username?: string | undefined
  /** Password. Never part of an error or a log line. */
  readonly password?: string | undefined
  /**
   * Name of this client at the broker. No other client may have it, because a broker disconnects the earlier client
   * with the same name. Default: `alvarium-` and 16 random hex digits.
   *
   * For replicas with one configuration, `{hostname}` stands for the machine's name (`'archive-{hostname}'`; not in
   * browsers, where it is unknown). A function returns the name when the options are read.
   */
  readonly clientId?: string | (() => string) | undefined
  /** Seconds of silence after which we ping the broker; 0 for never. Default `60`. */
  readonly keepAliveSeconds?: number | undefined
  /** Milliseconds after which `connect()` rejects. Default `10_000`. */
  readonly connectTimeoutMs?: number | undefined
  /** Certificates for `mqtts:` and `wss:`. */
  readonly tls?: MqttTls | undefined
  /** MQTT 5 or 3.1.1 (`4`). Default: 5, and 3.1.1 if the broker refuses 5, or twice disconnects without an answer. */
  readonly protocolVersion?: 4 | 5 | undefined
}

/** Options of {@link mqtt}. */
export interface MqttOptions extends MqttConnectionOptions {
  /** Topic to publish to, or several: every message then goes to each of them. No wildcards. */
  readonly topic: string | readonly string[]
  /** True if the broker should retain the last message for later subscribers. Default `false`. */
  readonly retain?: boolean | undefined
  /**
   * Maximum number of messages in flight, sent and not acknowledged, 1 to 65,535. The limit is lower for a broker with
   * a lower Receive Maximum (MQTT 5), and for a slow broker: down to one at a time. Default `64`.
   */
  readonly maxInFlight?: number | undefined
  /**
   * Seconds after which the broker drops a message that it could not deliver (MQTT 5 only), 1 to 4,294,967,295.
   * Default: never.
   */
  readonly messageExpirySeconds?: number | undefined
  /**
   * True to send the media type with each message (MQTT 5 only). Default `false`, because any property costs more than
   * the message itself: a quarter fewer packets per second.
   */
  readonly sendContentType?: boolean | undefined
  /** User properties of each message, names and values, for other consumers (MQTT 5 only). Not signed. */
  readonly userProperties?: Readonly<Record<string, string>> | undefined
  /** Milliseconds from `publish()` until it rejects with `STREAM_TIMEOUT`. Default `30_000`. */
  readonly publishTimeoutMs?: number | undefined
  /** Milliseconds that `close()` waits for published messages. Default `5_000`. */
  readonly closeTimeoutMs?: number | undefined
  /**
   * Handling of a message over the limits: `'reject'` rejects with `QUEUE_FULL`. `'wait'` waits for room, in the order
   * of the calls, also at most `publishTimeoutMs`. Only your own code limits how many calls wait: see `sdk.ready()`.
   * Default `'reject'`.
   */
  readonly whenFull?: 'reject' | 'wait' | undefined
  /**
   * Handling of a message that the broker acknowledges and drops, because nobody subscribes to its topic. `'accept'`
   * counts it as accepted, as MQTT does. With `'wait'` it is sent again until someone subscribes, within
   * `publishTimeoutMs`. Nothing is lost then when a broker forgets its subscribers in a restart.
   *
   * `'wait'` needs MQTT 5, a broker that reports missing subscribers, and QoS 1 or 2. Default: `'wait'` behind an
   * outbox, for topics that have had a subscriber before, according to the broker; otherwise `'accept'`.
   */
  readonly whenUnheard?: 'accept' | 'wait' | undefined
  /**
   * Maximum number of published messages that have not settled; see `whenFull` for a message over it. Default `10_000`.
   */
  readonly maxQueuedMessages?: number | undefined
  /** The same limit in bytes. Default `67_108_864` (64 MiB). */
  readonly maxQueuedBytes?: number | undefined
}

/** Options of {@link receive}; {@link Durability} defines which of them go together. */
export interface ReceiveOptions extends MqttConnectionOptions {
  /**
   * Topic filters; `+` and `#` are allowed. A message that matches several of them is delivered once (not in a `group`,
   * whose members receive it separately for each filter).
   */
  readonly topic: string | readonly string[]
  /**
   * Name of a group whose receivers share the messages (`$share/<group>/<topic>`): each message goes to one of them.
   * Brokers without shared subscriptions deliver nothing.
   */
  readonly group?: string | undefined
  /**
   * True if the broker keeps the subscription, and the messages that arrive while we are away. The broker's settings
   * limit how many: see `checkBroker` of `alvarium-command/doctor`. The broker keeps both under `clientId`, which is
   * then required. Choose a name that stays the same when the process restarts, and that no other client has. Under a
   * name the broker also keeps the topics of earlier subscriptions.
   *
   * `false`: messages that arrive while we are away are missed, even if only because a broker restarts. The same is
   * true of QoS 0, whose messages no broker keeps. Default `true`; with QoS 0 `false`.
   */
  readonly durable?: boolean | undefined
  /**
   * Maximum number of received and unacknowledged messages, 1 to 65,535. They are verified in one batch, and
   * redelivered if the process dies. Independently of this, nothing more is read once they have 4 MiB. Default `64`.
   */
  readonly prefetch?: number | undefined
}

/** Storage by the broker for a subscriber that is away: messages under its name, or nothing. */
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

/** Schema of a topic to publish to. */
export const topicName = v.pipe(
  text,
  mqttText('a topic'),
  v.check((topic) => !/[+#]/.test(topic), 'a topic without the wildcards + and #'),
)

/** Wildcards (MQTT 5, 4.7.1): `+` fills a whole level and `#` the whole last one. */
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

/** Schemas of the connection options. */
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

/** Exported for the page of limits. */
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
  whenUnheard: v.optional(v.picklist(['accept', 'wait'], 'accept or wait')),
  maxQueuedMessages: integer(1, Number.MAX_SAFE_INTEGER, 10_000),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * 1024 * 1024),
})

export const topicFilters = oneOrMore(topicFilter)

const groupName = v.pipe(
  text,
  mqttText('a name'),
  v.check((group) => !/[+#/]/.test(group), 'a name without + # /'),
)

/** Exported for the page of limits. */
export const receiving = strict({
  ...connection,
  topic: topicFilters,
  group: v.optional(groupName),
  durable: v.optional(flag),
  prefetch: integer(1, 65_535, 64),
})

export const RECEIVE_OPTIONS: readonly string[] = Object.keys(receiving.entries)

export type MqttSettings = v.InferOutput<typeof publishing>
/** Options of `receive` with their defaults filled in. */
export type ReceiveSettings = Omit<v.InferOutput<typeof receiving>, 'durable'> & { readonly clean: boolean }
/** Settings of a connection for publishing or receiving, which uses one of the URLs at a time. */
export type ConnectionSettings = Pick<MqttSettings, keyof MqttConnectionOptions> & { clean?: boolean }

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readMqttOptions(options: MqttOptions): MqttSettings {
  const settings = readOptions(publishing, options, 'stream')
  const { whenUnheard, qos, protocolVersion } = settings
  if (whenUnheard === 'wait' && (qos === 0 || protocolVersion === 4)) {
    const got = qos === 0 ? 'wait with qos 0' : 'wait with protocolVersion 4'
    throw expected('CONFIG_INVALID', 'whenUnheard', 'accept, or MQTT 5 with qos 1 or 2', got)
  }
  return settings
}

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readReceiveOptions(options: ReceiveOptions): ReceiveSettings {
  const { durable, ...settings } = readOptions(receiving, options)
  if (durable && settings.qos === 0) throw new AlvariumError('CONFIG_INVALID', DURABLE_QOS_0)
  const clean = !(durable ?? settings.qos > 0)
  if (!clean && options.clientId === undefined) throw new AlvariumError('CONFIG_INVALID', NO_CLIENT_ID)
  return { ...settings, clean }
}

const DURABLE_QOS_0 = 'durable: expected false with qos 0, which no broker keeps, got true'
const NO_CLIENT_ID =
  "clientId: expected a name of this subscriber's own, by which the broker keeps what comes while it is away, got none; " +
  'or write durable: false, and what comes meanwhile is missed'
