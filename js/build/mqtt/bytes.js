// Replaces `buffer` with a subclass of `Uint8Array`. The subclass has those methods of Node's `Buffer` that
// mqtt.js and its streams call. All text is UTF-8.

const encoder = new TextEncoder()
// Keep a byte order mark, because MQTT requires it (MQTT 5, section 1.5.4).
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export class Buffer extends Uint8Array {
  /** Returns a view of an ArrayBuffer, or a copy of any other value. The offsets apply only to the view. */
  static from(value, from, length) {
    return new Buffer(typeof value === 'string' ? encoder.encode(value) : value, from, length)
  }

  static alloc(length) {
    return new Buffer(length)
  }

  static allocUnsafe(length) {
    return new Buffer(length)
  }

  static concat(list, length = list.reduce((total, one) => total + one.length, 0)) {
    const all = new Buffer(length)
    let at = 0
    for (const one of list) {
      all.set(one, at)
      at += one.length
    }
    return all
  }

  static byteLength(value) {
    return typeof value === 'string' ? encoder.encode(value).length : value.byteLength
  }

  static isBuffer(value) {
    return value instanceof Buffer
  }

  static isEncoding() {
    return true
  }

  /** Returns a view of the same memory, unlike `slice` of a typed array, which copies. */
  slice(from, to) {
    return this.subarray(from, to)
  }

  copy(target, at = 0, from = 0, to = this.length) {
    const part = this.subarray(from, Math.min(to, from + target.length - at))
    target.set(part, at)
    return part.length
  }

  write(text, at = 0) {
    return encoder.encodeInto(text, this.subarray(at)).written
  }

  toString(_encoding, from, to) {
    return decoder.decode(this.subarray(from, to))
  }

  /** Reads a byte. Throws beyond the end, because the error tells the parser that a packet is truncated. */
  readUInt8(at) {
    const byte = this[at]
    if (byte === undefined) throw new RangeError(`offset: expected one below ${this.length}, got ${at}`)
    return byte
  }

  readUInt16BE(at) {
    return (this.readUInt8(at) << 8) | this.readUInt8(at + 1)
  }

  readUInt32BE(at) {
    return ((this.readUInt16BE(at) << 16) | this.readUInt16BE(at + 2)) >>> 0
  }

  writeUInt8(value, at) {
    this[at] = value
  }

  writeUInt16BE(value, at) {
    this[at] = value >> 8
    this[at + 1] = value
  }

  writeUInt32BE(value, at) {
    this.writeUInt16BE(value >>> 16, at)
    this.writeUInt16BE(value, at + 2)
  }
}
