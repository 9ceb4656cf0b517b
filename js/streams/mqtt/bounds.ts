import type { MqttClient } from 'mqtt'
import { isBytes } from '../../base/errors.js'
import { abandon } from './link.js'

/**
 * The longest packet that we take: FORMAT.md's longest message, and around it a topic (64 KiB at the most), a packet id and
 * as much again for properties.
 */
export const LONGEST_PACKET = 16 * 1024 * 1024 + 128 * 1024

/** A frame may hold several packets. `ws` refuses a longer one when it has read the frame's header. */
export const LONGEST_FRAME = 2 * LONGEST_PACKET

/** Follows packets by their fixed headers (MQTT 5, 2.1), which say how long each of them is going to be. */
export class PacketGauge {
  #left = 0
  #length = 0
  /** Bytes of the header that have come. */
  #header = 0

  /** Whether a packet begins in there that is longer than we take. */
  isTooMuch(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.length; ) {
      const passed = Math.min(this.#left, chunk.length - at)
      this.#left -= passed
      at += passed
      if (at < chunk.length && this.#read(chunk[at++] as number) > LONGEST_PACKET) return true
    }
    return false
  }

  /** Another byte of the header; how long the packet is, as soon as that is known. */
  #read(byte: number): number {
    if (this.#header++ === 0) return 0
    this.#length += (byte & 0x7f) * 128 ** (this.#header - 2)
    const isLast = byte < 0x80
    // A length has four digits at the most.
    if (!isLast) return this.#header < 5 ? 0 : Number.POSITIVE_INFINITY
    const whole = this.#header + this.#length
    this.#left = this.#length
    this.#length = 0
    this.#header = 0
    return whole
  }
}

/**
 * Ends the connection when a packet begins that is longer than we take: mqtt.js would collect all of it first. A broker of
 * MQTT 5 is told the limit before, one of 3.1.1 cannot be.
 */
export function boundPackets(client: MqttClient): void {
  const { stream } = client
  const gauge = new PacketGauge()
  const push = stream.push.bind(stream)
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!isBytes(chunk) || !gauge.isTooMuch(chunk)) return push(chunk, encoding)
    cut(client, `packets of at most ${LONGEST_PACKET} bytes`, 'a longer one')
    return false
  }
}

/**
 * Ends the connection over a message with a higher QoS than it may have.
 *
 * @param highest - the highest QoS that the broker may use
 * @returns whether a message with this QoS may be taken
 */
export function boundQos(client: MqttClient, highest: number): (qos: number) => boolean {
  return (qos) => {
    if (qos > highest) cut(client, `messages with QoS ${highest} at most`, `one with QoS ${qos}`)
    return qos <= highest
  }
}

function cut(client: MqttClient, expected: string, got: string): void {
  client.emit('error', new Error(`expected ${expected} from the broker, got ${got}`))
  abandon(client)
}
