import * as v from 'valibot'
import { integer, joinWithOr, oneOf, strict } from '../../../foundation/base/options/schema.js'
import { platform } from '../../../foundation/platform/platform.js'
import { mqtt } from '../../../transport/streams/mqtt/mqtt.js'
import { topicName } from '../../../transport/streams/mqtt/options.js'
import { consoleStream } from '../../../transport/streams/simple.js'
import type { StreamProvider } from '../../../transport/streams/stream.js'
import { type ConfigContext, madeBy, maybe, type StreamTable } from './entries.js'

/** URL schemes by the names of transports in configs. `tcp` and `ssl` are the names that Paho uses. */
const PROTOCOLS = {
  tcp: 'mqtt',
  ssl: 'mqtts',
  ws: 'ws',
  wss: 'wss',
  mqtt: 'mqtt',
  mqtts: 'mqtts',
  tls: 'mqtts',
}
type Protocol = keyof typeof PROTOCOLS
const protocols = (Object.keys(PROTOCOLS) as Protocol[]).filter((name) =>
  platform.mqttSchemes.includes(PROTOCOLS[name]),
)

const text = v.string('a string')
const flag = v.boolean('true or false')
const seconds = integer(0, 65_535, 60)
const describe = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description))

/** Pattern of a host. It rejects paths, users and ports, because they would change the URL. */
const HOST = /^(?:[^\s/?#@\\:[\]]+|\[?(?:[\da-fA-F]*:){2}[\da-fA-F:.]*\]?)$/
export const hostName = v.pipe(text, v.regex(HOST, 'the name or address of a host'))

const provider = strict({
  host: hostName,
  protocol: v.nullish(
    describe(oneOf(protocols), 'tcp and mqtt are plain, ssl, tls and mqtts are TLS'),
    'tcp',
  ),
  port: maybe(describe(integer(1, 65_535, 1883), 'Unless given, the usual one of the protocol')),
})

const config = strict({
  clientId: maybe(describe(text, 'Empty: a random one. {hostname} stands for the name of the machine')),
  qos: v.nullish(v.picklist([0, 1, 2], '0, 1 or 2'), 0),
  user: maybe(describe(text, 'Empty: none')),
  password: maybe(text),
  topics: v.pipe(
    v.array(topicName, 'an array of topics'),
    v.minLength(1, 'at least one topic'),
    v.description('Every message goes to each of them'),
  ),
  provider,
  cleanness: maybe(describe(flag, 'No effect: a publisher leaves nothing at the broker')),
  isClean: maybe(describe(flag, 'As cleanness')),
  keepAlive: maybe(
    describe(seconds, 'Seconds of silence after which the broker is asked whether it is there'),
  ),
  boundedCap: maybe(
    describe(v.number('a number'), 'No effect: what waits is bounded as the options of mqtt say'),
  ),
})

const anything = v.optional(v.unknown())
const BUILT_IN_STREAMS = {
  mqtt: strict({ type: v.literal('mqtt'), config }),
  console: strict({ type: v.literal('console'), config: anything }),
  mock: strict({ type: v.literal('mock'), config: describe(anything, 'No effect: nothing is sent') }),
}
/**
 * Unsupported stream types of other SDKs, which have no JavaScript client, or none that can be tested here.
 */
const FOREIGN_STREAMS = ['pravega', 'hedera', 'demia']

export function streamSchema(ownStreams: StreamTable) {
  const names = Object.keys(ownStreams)
  const others = names.map((name) => strict({ type: v.literal(name), config: anything }))
  const left = Object.values(BUILT_IN_STREAMS).filter(({ entries }) => !names.includes(entries.type.literal))
  const types = [...new Set([...Object.keys(BUILT_IN_STREAMS), ...names])]
  return v.variant('type', [...left, ...others], ({ input }) => expectedType(types, input))
}

function expectedType(types: readonly string[], got: unknown): string {
  const expected = joinWithOr(types, got)
  if (!FOREIGN_STREAMS.some((type) => type === got)) return expected
  return `${expected} (nothing here speaks to ${got}: publish by mqtt and bridge it from there, or give streams.${got})`
}

export async function streamOf(
  { type, config }: { readonly type: string; readonly config?: unknown },
  ownStreams: StreamTable,
  context: ConfigContext,
): Promise<StreamProvider> {
  const make = Object.hasOwn(ownStreams, type) ? ownStreams[type] : undefined
  if (make) return madeBy(`stream (${type})`, () => make(config, context))
  if (type === 'console') return consoleStream()
  return type === 'mock' ? { publish: () => undefined } : mqttOf(config as MqttConfig)
}

type MqttConfig = v.InferOutput<typeof BUILT_IN_STREAMS.mqtt>['config']

function mqttOf({ clientId, user, password, topics, qos, provider, keepAlive }: MqttConfig): StreamProvider {
  const { host, port, protocol } = provider
  return mqtt({
    url: `${PROTOCOLS[protocol]}://${authority(host, port)}`,
    topic: topics,
    qos,
    clientId: clientId || undefined,
    username: user || undefined,
    password: password || undefined,
    keepAliveSeconds: keepAlive,
  })
}

/** Returns host and port as in URLs, with brackets around an IPv6 address. */
export function authority(host: string, port: number | undefined): string {
  const named = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return port === undefined ? named : `${named}:${port}`
}
