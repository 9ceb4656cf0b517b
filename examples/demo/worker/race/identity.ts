/**
 * Writes the identity bytes of a bundle (crate/FORMAT.md, "Identity bytes") for the action `create`. Lays out
 * the constant parts once; each call fills the gaps. This is bench/baselines/identity.mjs for browsers.
 */

const DOMAIN = 'alvarium.AnnotationBundle/1\n'
const KEY_LENGTH = 64
const TIMESTAMP_LENGTH = '2026-11-20T10:00:00.123456Z'.length
const ULID_LENGTH = 26

const encoder = new TextEncoder()

export interface Fixed {
  readonly host: string
  readonly layer: string
  readonly signer: string
  readonly tag: string
  readonly kinds: readonly string[]
}

export class IdentityWriter {
  readonly #template: Uint8Array<ArrayBuffer>
  readonly #keyAt: number
  readonly #timestampAt: number
  readonly #annotations: readonly { readonly idAt: number; readonly isSatisfiedAt: number }[]

  constructor({ host, layer, signer, tag, kinds }: Fixed) {
    const layout = new Layout()
    layout.raw(encoder.encode(DOMAIN)).text('create')
    this.#keyAt = layout.gap(KEY_LENGTH)
    layout.raw([0]).text('sha256').text(host).text(layer)
    this.#timestampAt = layout.gap(TIMESTAMP_LENGTH)
    layout.text(signer).count(kinds.length)
    this.#annotations = kinds.map((kind) => {
      const idAt = layout.gap(ULID_LENGTH)
      return { idAt, isSatisfiedAt: layout.text(kind).text(tag).raw([0]).length - 1 }
    })
    this.#template = layout.bytes()
  }

  /** @param annotations - one per kind, in the same order */
  write(
    key: string,
    timestamp: string,
    annotations: readonly { readonly id: string; readonly isSatisfied: boolean }[],
  ): Uint8Array<ArrayBuffer> {
    const bytes = this.#template.slice()
    encoder.encodeInto(key, bytes.subarray(this.#keyAt))
    encoder.encodeInto(timestamp, bytes.subarray(this.#timestampAt))
    for (const [index, { idAt, isSatisfiedAt }] of this.#annotations.entries()) {
      const annotation = annotations[index]
      encoder.encodeInto(annotation?.id ?? '', bytes.subarray(idAt))
      bytes[isSatisfiedAt] = annotation?.isSatisfied ? 1 : 0
    }
    return bytes
  }
}

/** Buffer of length-prefixed texts with gaps that are filled later. */
class Layout {
  readonly #bytes: number[] = []

  get length(): number {
    return this.#bytes.length
  }

  raw(bytes: Iterable<number>): this {
    this.#bytes.push(...bytes)
    return this
  }

  /** Writes a number as four bytes, most significant first. */
  count(number: number): this {
    return this.raw([number >>> 24, number >>> 16, number >>> 8, number].map((byte) => byte & 255))
  }

  text(text: string): this {
    const bytes = encoder.encode(text)
    return this.count(bytes.length).raw(bytes)
  }

  /** Reserves a gap for a text that is filled in later. Returns its offset. */
  gap(length: number): number {
    return this.count(length).raw(new Uint8Array(length)).length - length
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes)
  }
}
