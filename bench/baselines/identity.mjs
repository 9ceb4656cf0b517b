// Writes the identity bytes of a bundle (crate/FORMAT.md, "Identity bytes") for the action `create`. Lays out
// the constant parts once; each call fills the gaps.

const DOMAIN = 'alvarium.AnnotationBundle/1\n'
const KEY_LENGTH = 64
const TIMESTAMP_LENGTH = '2026-11-20T10:00:00.123456Z'.length
const ULID_LENGTH = 26

/**
 * @typedef {object} Fixed
 * @property {string} host
 * @property {string} layer
 * @property {string} signer
 * @property {string} tag
 * @property {readonly string[]} kinds
 */

/** Writer of identity bytes into one reused buffer. */
export class IdentityWriter {
  #bytes
  #keyAt
  #timestampAt
  /** @type {{ idAt: number, isSatisfiedAt: number }[]} */
  #annotations

  /** @param {Fixed} fixed */
  constructor({ host, layer, signer, tag, kinds }) {
    const layout = new Layout()
    layout.raw(Buffer.from(DOMAIN)).text('create')
    this.#keyAt = layout.gap(KEY_LENGTH)
    layout.raw(Buffer.of(0)).text('sha256').text(host).text(layer)
    this.#timestampAt = layout.gap(TIMESTAMP_LENGTH)
    layout.text(signer).count(kinds.length)
    this.#annotations = kinds.map((kind) => {
      const idAt = layout.gap(ULID_LENGTH)
      const isSatisfiedAt = layout.text(kind).text(tag).raw(Buffer.of(0)).length - 1
      return { idAt, isSatisfiedAt }
    })
    this.#bytes = layout.bytes()
  }

  /**
   * @param {string} key
   * @param {string} timestamp
   * @param {readonly { id: string, isSatisfied: boolean }[]} annotations one per kind, in order of `kinds`
   * @returns {Buffer} valid until the next call
   */
  write(key, timestamp, annotations) {
    const bytes = this.#bytes
    bytes.write(key, this.#keyAt, 'latin1')
    bytes.write(timestamp, this.#timestampAt, 'latin1')
    this.#annotations.forEach(({ idAt, isSatisfiedAt }, index) => {
      const { id, isSatisfied } = /** @type {typeof annotations[number]} */ (annotations[index])
      bytes.write(id, idAt, 'latin1')
      bytes[isSatisfiedAt] = isSatisfied ? 1 : 0
    })
    return bytes
  }
}

/** Buffer of length-prefixed texts with gaps that are filled later. */
class Layout {
  /** @type {Buffer[]} */
  #pieces = []
  length = 0

  /** @param {Buffer} bytes */
  raw(bytes) {
    this.#pieces.push(bytes)
    this.length += bytes.length
    return this
  }

  /** @param {number} number written as four bytes, most significant first */
  count(number) {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(number)
    return this.raw(bytes)
  }

  /** @param {string} text */
  text(text) {
    const bytes = Buffer.from(text)
    return this.count(bytes.length).raw(bytes)
  }

  /**
   * @param {number} length of the text to fill in later, in bytes
   * @returns {number} the position of that text
   */
  gap(length) {
    return this.count(length).raw(Buffer.alloc(length)).length - length
  }

  bytes() {
    return Buffer.concat(this.#pieces)
  }
}
