/** Splits identity bytes into their fields (crate/FORMAT.md, Identity bytes), to show them. */

export interface Field {
  readonly name: string
  /** Start of the field, including its length prefix. */
  readonly offset: number
  /** Bytes of the field, including its length prefix. */
  readonly bytes: Uint8Array
  readonly text: string
}

/** Returns the fields of a bundle's identity bytes, in order. Concatenated, they are all of `identity`. */
export function fieldsOf(identity: Uint8Array): Field[] {
  const reader = new Reader(identity)
  reader.fixed('format', 28, (bytes) => textOf(bytes).trimEnd())
  reader.text('action')
  reader.text('key')
  const hasPrevious =
    reader.fixed('previous payload key?', 1, ([flag]) => (flag === 1 ? 'yes' : 'no')) === 'yes'
  if (hasPrevious) reader.text('previous payload key')
  for (const name of ['hash', 'host', 'layer', 'timestamp', 'signer']) reader.text(name)
  const count = Number(reader.fixed('annotations', 4, (bytes) => String(lengthAt(bytes, 0))))
  for (let n = 1; n <= count; n++) {
    for (const name of ['id', 'kind', 'tag']) reader.text(`${name} ${n}`)
    reader.fixed(`satisfied ${n}`, 1, ([flag]) => (flag === 1 ? 'true' : 'false'))
  }
  return reader.fields
}

class Reader {
  readonly fields: Field[] = []
  readonly #bytes: Uint8Array
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads a text after its length prefix of four bytes, most significant first. */
  text(name: string): void {
    const length = lengthAt(this.#bytes, this.#offset)
    this.fixed(name, 4 + length, (bytes) => textOf(bytes.subarray(4)))
  }

  fixed(name: string, length: number, read: (bytes: Uint8Array) => string): string {
    const bytes = this.#bytes.subarray(this.#offset, this.#offset + length)
    const text = read(bytes)
    this.fields.push({ name, offset: this.#offset, bytes, text })
    this.#offset += length
    return text
  }
}

function lengthAt(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset)
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
