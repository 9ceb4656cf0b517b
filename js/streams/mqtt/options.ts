import * as v from 'valibot'
import { AlvariumError, expected } from '../../base/errors.js'
import { integer, isAnonymous, LONGEST_TIMEOUT, readOptions, strict } from '../../base/options/schema.js'
import { urlIn } from '../../base/text/text.js'
import { platform } from '../../platform/platform.js'
import { clientId } from './client-id.js'
import { mqttBytes, mqttText } from './text.js'

/** Certificates for `mqtts:` and `wss:`, in PEM. Browsers bring their own and ignore these. */
export interface MqttTls {
  /** Certificate authorities to trust instead of the system's. */
  readonly ca?: string | Uint8Array | undefined
  /** Our own certificate, for brokers that ask for one. */
  readonly cert?: string | Uint8Array | undefined
  /** The private key of `cert`. */
  readonly key?: string | Uint8Array | undefined
  /** Whether a certificate that does not check out ends the connection. Default `true`. */
  readonly rejectUnauthorized?: boolean | undefined
}

/** How to reach a broker: what publishing and receiving have in common. */
export interface MqttConnectionOptions {
  /**
   * `ws://`, `wss://`, `mqtt://` or `mqtts://`; browsers can only open the first two. No credentials inside. Several, of one
   * cluster: when one cannot be reached, the next is tried, and after the last the first again.
   */
  readonly url: string | readonly string[]
  /** 0: at most once, 1: at least once, 2: exactly once while the connection holds. Default `1`. */
  readonly qos?: 0 | 1 | 2 | undefined
  readonly username?: string | undefined
  /** Never part of an error or of a log line. */
  readonly password?: string | undefined
  /**
   * Name of this client at the broker. No other client may have it: a broker ends the connection of the one that was there. For
   * replicas with one config, `{hostname}` in it stands for the machine's name (`'archive-{hostname}'`; not in browsers, where it is not
   * known), and a function returns it when the options are read. Default: `alvarium-` and 16 random hex digits.
   */
  readonly clientId?: string | (() => string) | undefined
  /** Seconds of silence after which we ping the broker, 0 for never. Default `60`. */
  readonly keepAliveSeconds?: number | undefined
  /** Milliseconds until `connect()` gives up. Default `10_000`. */
  readonly connectTimeoutMs?: number | undefined
  /** Certificates for `mqtts:` and `wss:`. */
  readonly tls?: MqttTls | undefined
  /** MQTT 5 or 3.1.1 (`4`). Default: 5, and 3.1.1 when the broker refuses 5, or hangs up on it twice. */
  readonly protocolVersion?: 4 | 5 | undefined
}

/** Options of {@link mqtt}. */
export interface MqttOptions extends MqttConnectionOptions {
  /** The topic to publish to, or several: every message then goes to each of them. No wildcards. */
  readonly topic: string | readonly string[]
  /** Whether the broker keeps the last message for later subscribers. Default `false`. */
  readonly retain?: boolean | undefined
  /**
   * Most messages in flight, sent and not acknowledged, 1 to 65,535. A broker that asks for fewer
   * (MQTT 5 Receive Maximum) gets fewer, and so does a slow one: down to one at a time. Default `64`.
   */
  readonly maxInFlight?: number | undefined
  /**
   * Seconds after which the broker drops a message that it could not deliver (MQTT 5 alone), 1 to 4,294,967,295.
   * Default: never.
   */
  readonly messageExpirySeconds?: number | undefined
  /**
   * Whether the broker is told the media type of each message (MQTT 5 alone). Default `false`: like every property, it costs
   * more than the message itself: a quarter fewer packets per second.
   */
  readonly sendContentType?: boolean | undefined
  /** What goes with each message for other consumers to see (MQTT 5 alone): names and values, not signed. */
  readonly userProperties?: Readonly<Record<string, string>> | undefined
  /** Milliseconds from `publish()` until it rejects with `STREAM_TIMEOUT`. Default `30_000`. */
  readonly publishTimeoutMs?: number | undefined
  /** Milliseconds `close()` waits for messages that are already accepted. Default `5_000`. */
  readonly closeTimeoutMs?: number | undefined
  /**
   * What becomes of a message that is one too many: `'reject'` gives `QUEUE_FULL`; `'wait'` waits for room, in the order of
   * calls, within `publishTimeoutMs` all the same. How much waits, only your own code limits: see `sdk.ready()`. Default `'reject'`.
   */
  readonly whenFull?: 'reject' | 'wait' | undefined
  /**
   * Decides about a message that the broker acknowledges although nobody subscribes to its topic, and so drops: `'accept'` counts it as
   * accepted, as MQTT does; with `'wait'` it waits, and is sent again until someone subscribes, within `publishTimeoutMs`. So nothing is lost
   * when a broker forgets its subscribers in a restart. It needs MQTT 5, a broker that tells, and QoS 1 or 2. Default: `'wait'` behind an
   * outbox, for topics to which someone has subscribed before, by the broker's word; otherwise `'accept'`.
   */
  readonly whenUnheard?: 'accept' | 'wait' | undefined
  /** Most messages that are published and not settled; see `whenFull` for one more. Default `10_000`. */
  readonly maxQueuedMessages?: number | undefined
  /** The same limit in bytes. Default `67_108_864` (64 MiB). */
  readonly maxQueuedBytes?: number | undefined
}

/** Options of {@link receive}; {@link Durability} says which of them go together. */
export interface ReceiveOptions extends MqttConnectionOptions {
  /** Topic filters; `+` and `#` are allowed. What several of them match comes once (not in a `group`, to whose members they go apart). */
  readonly topic: string | readonly string[]
  /**
   * Shares the messages among all receivers of the same group (`$share/<group>/<topic>`), each message to
   * one of them. Brokers that do not know shared subscriptions deliver nothing.
   */
  readonly group?: string | undefined
  /**
   * Whether the broker keeps the subscription, and what comes while we are away (its settings say how much: see
   * `checkBroker` of `alvarium-command/doctor`). It keeps them under `clientId`, which is then
   * required: a name that stays the same when the process starts again, and that no other client has. Under a name the broker
   * also keeps the topics that were asked for earlier.
   *
   * `false`: what comes while we are away, if only for as long as a broker restarts, is missed. So it is with QoS 0, which
   * nobody keeps. Default `true`.
   */
  readonly durable?: boolean | undefined
  /**
   * Most messages that are here and not acknowledged, 1 to 65,535: they are verified together, and redelivered if the
   * process dies. Whatever this says, nothing more is read once they have 4 MiB. Default `64`.
   */
  readonly prefetch?: number | undefined
}

/** Says what the broker keeps for a subscriber that is away: what comes, under its name, or nothing. */
export type Durability = { readonly durable: false } | { readonly clientId: string | (() => string) }

const milliseconds = (fallback: number) => integer(1, LONGEST_TIMEOUT, fallback)
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

/** A topic that can be published to. */
export const topicName = v.pipe(
  text,
  mqttText('a topic'),
  v.check((topic) => !/[+#]/.test(topic), 'a topic without the wildcards + and #'),
)

/** MQTT 5, 4.7.1: `+` fills a whole level and `#` the whole last one. */
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

/** How to reach a broker, for schemas. */
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

/** The page of limits shows it. */
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

/** Where to listen. */
export const topicFilters = oneOrMore(topicFilter)

const groupName = v.pipe(
  text,
  mqttText('a name'),
  v.check((group) => !/[+#/]/.test(group), 'a name without + # /'),
)

/** The page of limits shows it. */
export const receiving = strict({
  ...connection,
  topic: topicFilters,
  group: v.optional(groupName),
  durable: v.optional(flag),
  prefetch: integer(1, 65_535, 64),
})

/** What the options of `receive` are called. */
export const RECEIVE_OPTIONS: readonly string[] = Object.keys(receiving.entries)

/** What the options say, with every default filled in. */
export type MqttSettings = v.InferOutput<typeof publishing>
/** What the options of `receive` say, with every default filled in. */
export type ReceiveSettings = Omit<v.InferOutput<typeof receiving>, 'durable'> & { readonly clean: boolean }
/** What a connection needs of either; it goes to one of the URLs at a time. */
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
  if (durable && settings.qos === 0) throw new AlvariumError('CONFIG_INVALID', NOT_KEPT)
  const clean = !(durable ?? settings.qos > 0)
  if (!clean && options.clientId === undefined) throw new AlvariumError('CONFIG_INVALID', NAMELESS)
  return { ...settings, clean }
}

const NOT_KEPT = 'durable: expected false with qos 0, which no broker keeps, got true'
const NAMELESS =
  "clientId: expected a name of this subscriber's own, by which the broker keeps what comes while it is away, got none; " +
  'or write durable: false, and what comes meanwhile is missed'
