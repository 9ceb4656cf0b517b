import type { IClientPublishOptions } from 'mqtt'
import { AlvariumError, expected } from '../../../foundation/base/errors.js'
import { quote, utf8Length } from '../../../foundation/base/text/text.js'
import { readTraceContext, type TraceContext } from '../../../foundation/model/trace-context.js'
import { platform } from '../../../foundation/platform/platform.js'
import type { AnswerCallback } from './in-flight.js'
import type { Link } from './link.js'
import { NoSubscribersError, publishFunction, type SubscriberRule } from './no-subscribers.js'
import type { MqttSettings } from './options.js'
import type { QueuedMessage } from './queued-message.js'
import { describeReason, isPermanentRefusal, ReasonError, reasonBy } from './reasons.js'
import { isText } from './text.js'

/** Returns the length of a Variable Byte Integer, which has seven bits per byte (MQTT 5, 1.5.5). */
const varIntLength = (length: number) => (length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4)
/** Returns the length of a UTF-8 string with its length prefix (MQTT 5, 1.5.4). */
const textLength = (text: string) => 2 + utf8Length(text)

type PacketSettings = Pick<
  MqttSettings,
  'topic' | 'qos' | 'retain' | 'sendContentType' | 'messageExpirySeconds' | 'userProperties'
>

export function packetsFor(link: Link, settings: PacketSettings, rule: SubscriberRule) {
  let options = publishOptions(link, settings, undefined)
  let contentType: string | undefined
  const topics = new Map(settings.topic.map((topic) => [topic, textLength(topic)]))
  const publish = publishFunction(link, rule)
  return (topic: string, queued: QueuedMessage, done: AnswerCallback): void => {
    // Rebuild the packet options only when the content type changes, which is rare.
    if (settings.sendContentType && queued.contentType !== contentType) {
      options = publishOptions(link, settings, queued.contentType)
      contentType = queued.contentType
    }
    const topicBytes = topics.get(topic) as number
    assertFits(link, topicBytes + options.bytes, queued.message)
    const traced = tracedOptions(link, settings, queued)
    const isTraced =
      traced && packetLength(topicBytes + traced.bytes, queued.message) <= link.maximumPacketSize
    const packetOptions = isTraced ? traced : options
    publish(topic, platform.mqttView(queued.message), packetOptions.publish, answerHandler(link, topic, done))
  }
}

/** Returns undefined in MQTT 3.1.1, and without a valid trace context. */
function tracedOptions(link: Link, settings: PacketSettings, { contentType, traceContext }: QueuedMessage) {
  if (!traceContext || link.version !== 5) return undefined
  // The trace context comes from an outbox, or from a caller of publish().
  const { traceparent, tracestate } = Object(traceContext) as Partial<TraceContext>
  const valid = readTraceContext(traceparent, tracestate)
  if (!valid) return undefined
  const userProperties = { ...settings.userProperties, ...valid } as Record<string, string>
  return publishOptions(
    link,
    { ...settings, userProperties },
    settings.sendContentType ? contentType : undefined,
  )
}

/**
 * Returns the options of a PUBLISH packet (`publish`), and the length of its packet id and properties (`bytes`;
 * MQTT 5, 3.3.2). MQTT 3.1.1 has no properties.
 */
function publishOptions({ version }: Link, settings: PacketSettings, contentType: string | undefined) {
  const { qos, retain, messageExpirySeconds, userProperties } = settings
  const publish: IClientPublishOptions = { qos, retain }
  const id = qos > 0 ? 2 : 0
  if (version === 4) return { publish, bytes: id }
  if (contentType !== undefined && !isText(contentType))
    throw expected('STREAM_REFUSED', 'contentType', 'a text that MQTT can carry', quote(String(contentType)))
  const properties = {
    ...(contentType !== undefined && { contentType }),
    ...(messageExpirySeconds !== undefined && { messageExpiryInterval: messageExpirySeconds }),
    ...(userProperties && { userProperties }),
  }
  if (Object.keys(properties).length > 0) publish.properties = properties
  const lengths = Object.entries(userProperties ?? {}).map((pair) => sum(pair.map(textLength)))
  if (contentType !== undefined) lengths.push(textLength(contentType))
  if (messageExpirySeconds !== undefined) lengths.push(4)
  // Add one byte for the identifier of each property.
  const length = sum(lengths) + lengths.length
  return { publish, bytes: id + varIntLength(length) + length }
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)

/**
 * Throws `STREAM_REFUSED` for a packet over the broker's Maximum Packet Size (MQTT 5, 3.2.2.3.6). The broker
 * would end the connection over such a packet, and again after each reconnection.
 */
function assertFits({ maximumPacketSize }: Link, overhead: number, message: Uint8Array): void {
  const whole = packetLength(overhead, message)
  if (whole <= maximumPacketSize) return
  const requirement = `a packet of at most ${maximumPacketSize} bytes for this broker`
  throw expected('STREAM_REFUSED', 'mqtt', requirement, `${whole}, with a message of ${message.length}`)
}

function packetLength(overhead: number, { length }: Uint8Array): number {
  return 1 + varIntLength(overhead + length) + overhead + length
}

/**
 * Returns a callback with one of our errors. Ignores an error without a reason code, with which mqtt.js
 * reports that the connection is ending: the queue handles that.
 */
function answerHandler(
  link: Link,
  topic: string,
  done: AnswerCallback,
): (error?: Error & { code?: number }) => void {
  return (error) => {
    if (!error) return done()
    if (error instanceof NoSubscribersError) return done(error)
    if (error.code === undefined) return
    const reason = reasonBy(error.code)
    const text = `mqtt: expected the broker to accept a message for ${JSON.stringify(topic)}, got: ${describeReason(reason)}`
    // Drop the connection for a reason that concerns the session. With "Packet identifier in use", for
    // example, the session states of client and broker differ (MQTT 5, 3.4.2.1).
    if (reason.about === 'connection') return link.drop(new ReasonError(reason, text))
    const code = isPermanentRefusal(reason, 'message') ? 'STREAM_REFUSED' : 'STREAM_UNAVAILABLE'
    done(new AlvariumError(code, text, { cause: error }))
  }
}
