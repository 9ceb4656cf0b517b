import type { MqttClient } from 'mqtt'
import { isBytes } from '../../../foundation/base/errors.js'
import { destroyClient } from './link.js'

/**
 * Maximum packet size in bytes: 24 MiB for the longest message, a dead letter (FORMAT.md, Limits), and 128 KiB
 * for the rest. The rest is a topic of at most 64 KiB, a packet id, and properties.
 */
export const MAX_PACKET_BYTES = 24 * 1024 * 1024 + 128 * 1024

/**
 * Maximum size of a WebSocket frame in bytes, which may contain several packets. `ws` checks it when it has
 * read the header of the frame.
 */
export const MAX_FRAME_BYTES = 2 * MAX_PACKET_BYTES

/** Detector of long packets, which reads the length of each packet from its fixed header (MQTT 5, 2.1). */
export class PacketGauge {
  #left = 0
  #length = 0
  #header = 0

  isOverLimit(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length; ) {
      const passed = Math.min(this.#left, chunk.length - at)
      this.#left -= passed
      at += passed
      if (at < chunk.length && this.#read(chunk[at++] as number) > MAX_PACKET_BYTES) return true
    }
    return false
  }

  /** Reads one byte of the header. Returns the length of the whole packet, or 0 until it is known. */
  #read(byte: number): number {
    if (this.#header++ === 0) return 0
    this.#length += (byte & 0x7f) * 128 ** (this.#header - 2)
    const isLast = byte < 0x80
    // MQTT allows four length bytes (MQTT 5, 1.5.5).
    if (!isLast) return this.#header < 5 ? 0 : Number.POSITIVE_INFINITY
    const whole = this.#header + this.#length
    this.#left = this.#length
    this.#length = 0
    this.#header = 0
    return whole
  }
}

/**
 * Ends the connection when a packet over {@link MAX_PACKET_BYTES} begins, because mqtt.js would first buffer
 * all of it. CONNECT of MQTT 5 states the limit to the broker, but MQTT 3.1.1 has no such property.
 */
export function enforceMaxPacketSize(client: MqttClient): void {
  const { stream } = client
  const gauge = new PacketGauge()
  const push = stream.push.bind(stream)
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!isBytes(chunk) || !gauge.isOverLimit(chunk)) return push(chunk, encoding)
    endConnection(client, `packets of at most ${MAX_PACKET_BYTES} bytes`, 'a longer packet')
    return false
  }
}

/**
 * Makes a function that returns whether a message's QoS is allowed. If it is not, that function ends the
 * connection.
 */
export function limitQos(client: MqttClient, highest: number): (qos: number) => boolean {
  return (qos) => {
    if (qos > highest)
      endConnection(client, `messages with QoS ${highest} at most`, `a message with QoS ${qos}`)
    return qos <= highest
  }
}

function endConnection(client: MqttClient, expected: string, got: string): void {
  client.emit('error', new Error(`expected ${expected} from the broker, got ${got}`))
  destroyClient(client)
}
