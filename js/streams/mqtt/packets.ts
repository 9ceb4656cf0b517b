import type { IClientPublishOptions } from 'mqtt'
import { mqttTransport } from '#platform'
import { AlvariumError, expected } from '../../base/errors.js'
import type { Done } from './in-flight.js'
import type { Link } from './link.js'
import type { MqttSettings } from './options.js'
import type { QueuedMessage } from './queued-message.js'
import { ReasonError, reasonBy, refuses, shownReason } from './reasons.js'
import { publishingOver, Unheard } from './unheard.js'

/** What is left for the rest of a PUBLISH packet: lengths and packet id. */
const PACKET_OVERHEAD = 16
/** What a property has around its text, or is as a number. */
const PROPERTY_OVERHEAD = 5
/** A character of text takes at most so many bytes. */
const UTF8 = 3

type PacketSettings = Pick<
  MqttSettings,
  'qos' | 'retain' | 'sendContentType' | 'messageExpirySeconds' | 'userProperties' | 'whenUnheard'
>

/** Sends messages as PUBLISH packets of one connection. */
export function packetsFor(link: Link, settings: PacketSettings) {
  let options = publishOptions(link, settings, undefined)
  let contentType: string | undefined
  const publish = publishingOver(link.client, settings)
  return (topic: string, queued: QueuedMessage, done: Done): void => {
    // Nearly always that of the one before.
    if (settings.sendContentType && queued.contentType !== contentType) {
      contentType = queued.contentType
      options = publishOptions(link, settings, contentType)
    }
    assertFits(link, topic.length * UTF8 + options.bytes, queued.message)
    publish(topic, mqttTransport.view(queued.message), options.publish, refusing(link, topic, done))
  }
}

/** MQTT 3.1.1 has no properties. */
function publishOptions({ version }: Link, settings: PacketSettings, contentType: string | undefined) {
  const { qos, retain, messageExpirySeconds, userProperties } = settings
  const publish: IClientPublishOptions = { qos, retain }
  if (version === 4) return { publish, bytes: 0 }
  const properties = {
    ...(contentType !== undefined && { contentType }),
    ...(messageExpirySeconds !== undefined && { messageExpiryInterval: messageExpirySeconds }),
    ...(userProperties && { userProperties }),
  }
  if (Object.keys(properties).length > 0) publish.properties = properties
  const texts = ['', contentType ?? '', ...Object.entries(userProperties ?? {}).flat()]
  const bytes = publish.properties ? texts.join('').length * UTF8 + texts.length * PROPERTY_OVERHEAD : 0
  return { publish, bytes }
}

/** Brokers end the connection over a packet that is too long, and would again after each reconnect. */
function assertFits({ maximumPacketSize }: Link, around: number, message: Uint8Array): void {
  const most = maximumPacketSize - PACKET_OVERHEAD - around
  if (message.length <= most) return
  const what = `a message of at most ${most} bytes for this broker`
  throw expected('STREAM_REFUSED', 'mqtt', what, `${message.length}`)
}

/**
 * Puts the broker's reason into our words. An error without a reason code is no answer of the broker: mqtt.js
 * gives up what it holds because the connection is ending, whose loss the queue is about to hear of.
 */
function refusing(link: Link, topic: string, done: Done): (error?: Error & { code?: number }) => void {
  return (error) => {
    if (!error) return done()
    if (error instanceof Unheard) return done(error)
    if (error.code === undefined) return
    const reason = reasonBy(error.code)
    const text = `mqtt: expected the broker to accept a message for ${JSON.stringify(topic)}, got: ${shownReason(reason)}`
    // Packet identifiers mean something else to the broker than to us: a new session has none (MQTT 5, 3.4.2.1).
    if (reason.about === 'connection') return link.drop(new ReasonError(reason, text))
    const code = refuses(reason, 'message') ? 'STREAM_REFUSED' : 'STREAM_UNAVAILABLE'
    done(new AlvariumError(code, text, { cause: error }))
  }
}
