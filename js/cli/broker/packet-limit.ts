import { Duplex, Transform, type TransformCallback } from 'node:stream'
import { Longest } from '../../core/core.js'

/** The longest message of the SDK, with room for a header, a topic of 65,535 bytes and a packet identifier. */
export const MAX_PACKET_BYTES = Longest.BatchMessage + 128 * 1024

/** A packet that is longer than the broker accepts. */
export class PacketTooLarge extends Error {
  constructor(bytes: number) {
    super(`packet: expected at most ${MAX_PACKET_BYTES} bytes, got ${bytes}`)
  }
}

/**
 * Returns the connection with a limit for its packets. A longer one ends it at its fixed header, before its bytes are kept: MQTT 3.1.1
 * has no packet to answer with, and closes the connection (MQTT-4.8.0-1).
 */
export function limitPackets(connection: Duplex): Duplex {
  const packets = connection.pipe(new PacketLimit())
  packets.on('error', () => connection.destroy())
  return Duplex.from({ readable: packets, writable: connection })
}

/** Reads the fixed header of each packet: a byte for its type, and how many bytes follow (MQTT 3.1.1, 2.2). */
class PacketLimit extends Transform {
  /** Bytes that are missing of the current packet. */
  #missing = 0
  /** Bytes of the fixed header that were read, and the length that they have so far. */
  #header = 0
  #length = 0

  override _transform(piece: Uint8Array, _: BufferEncoding, done: TransformCallback): void {
    let at = 0
    while (at < piece.length) {
      if (this.#missing === 0) this.#readHeader(piece[at++] as number)
      if (this.#missing > MAX_PACKET_BYTES) {
        done(new PacketTooLarge(this.#missing))
        return
      }
      const read = Math.min(this.#missing, piece.length - at)
      at += read
      this.#missing -= read
    }
    done(null, piece)
  }

  #readHeader(byte: number): void {
    // 7 bits in each byte, the lowest first; the highest bit says that another byte follows. The parser refuses a fifth one.
    if (this.#header > 0) this.#length += (byte & 0x7f) * 128 ** (this.#header - 1)
    const isWhole = this.#header > 0 && (byte < 0x80 || this.#header === 4)
    this.#header = isWhole ? 0 : this.#header + 1
    if (!isWhole) return
    this.#missing = this.#length
    this.#length = 0
  }
}
