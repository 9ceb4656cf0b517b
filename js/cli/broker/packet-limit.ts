import { Duplex, Transform, type TransformCallback } from 'node:stream'
import { MaxBytes } from '../../foundation/core/core.js'

/** Maximum packet length in bytes: the longest batch, plus a topic of 65,535 bytes and packet headers. */
export const MAX_PACKET_BYTES = MaxBytes.BatchMessage + 128 * 1024

export class PacketTooLarge extends Error {
  constructor(bytes: number | 'more') {
    super(`packet: expected at most ${MAX_PACKET_BYTES} bytes, got ${bytes}`)
  }
}

/**
 * Wraps a connection with a limit on the packet length. A longer packet closes the connection at the fixed
 * header, before its bytes are buffered. MQTT 3.1.1 has no error packet for this case (MQTT-4.8.0-1).
 */
export function limitPackets(connection: Duplex): Duplex {
  const packets = connection.pipe(new PacketLimit())
  packets.on('error', () => connection.destroy())
  return Duplex.from({ readable: packets, writable: connection })
}

/** Transform that checks the fixed header of each packet: type and remaining length (MQTT 3.1.1, 2.2). */
class PacketLimit extends Transform {
  /** Number of bytes of the current packet that have not arrived yet. */
  #missing = 0
  /** Number of header bytes read so far. `#length` is the remaining length that they encode. */
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
    // Each length byte holds 7 bits, lowest first. The high bit announces another length byte; four at most.
    if (this.#header > 0) this.#length += (byte & 0x7f) * 128 ** (this.#header - 1)
    const isWhole = this.#header > 0 && (byte < 0x80 || this.#header === 4)
    this.#header = isWhole ? 0 : this.#header + 1
    if (!isWhole) return
    this.#missing = this.#length
    this.#length = 0
  }
}
