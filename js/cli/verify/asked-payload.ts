import { AlvariumError } from '../../base/errors.js'
import type { ClassicAnnotation } from '../../classic/annotation.js'
import type { Dialect } from '../../classic/dialect.js'
import { payloadKeys } from '../../classic/payload-keys.js'
import { keyIfAny } from '../../core/hashing.js'
import type { Bundle, HashName } from '../../model/bundle.js'
import type { RecordFormat } from '../../records/read.js'
import { invalid } from '../fault.js'
import { Unreadable } from '../input/files.js'
import { formatOf, payloadsOf } from '../input/payloads.js'
import { allOf, sourceOf } from '../input/source.js'
import type { Input } from '../session.js'

/** Which keys a payload has: those of bundles, or of a dialect. */
type KeysOf = (payload: Uint8Array) => readonly string[]

/**
 * The payload that messages should be about: a file, or what `annotate` takes out of it one by one. Each is hashed once by each
 * name, however many bundles there are.
 */
export class AskedPayload {
  readonly #whole = new Map<string, readonly string[]>()
  readonly #records = new Map<string, ReadonlyMap<string, number>>()
  /** Which records a verified message was about, by their places in the file. */
  readonly #met = new Set<number>()
  #isWhole = false

  /**
   * @param records - the payloads in it, one by one
   * @param fault - why there are none, where that is not as it should be
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly records: readonly Uint8Array[] = [],
    readonly fault?: string,
  ) {}

  /** Its key; undefined where the hash cannot take it. */
  keyBy(hash: HashName): string | undefined {
    return this.#keysOfWhole(hash, ofBundles(hash))[0]
  }

  /** Whether a bundle is about it, or about a payload in it. */
  isOf({ key, hash }: Pick<Bundle, 'key' | 'hash'>): boolean {
    return this.#has(key, hash, ofBundles(hash))
  }

  /** The same of an annotation by another SDK. */
  isOfClassic({ key, hash }: Pick<ClassicAnnotation, 'key' | 'hash'>, dialect: Dialect): boolean {
    return this.#has(key, `${hash} ${dialect.name}`, (payload) => payloadKeys(payload, hash, dialect))
  }

  /** Whether all in a batch have to be about it: they are about its records, and not about others as well. */
  get isByRecord(): boolean {
    return !this.#isWhole && this.records.length > 1
  }

  /** How many of its records no message was about, of those that are not alike; none, where it was meant as a whole. */
  get missing(): number {
    if (!this.isByRecord || this.#met.size === 0) return 0
    return new Set(this.#keysOfRecords('sha256', ofBundles('sha256')).values()).size - this.#met.size
  }

  #has(key: string, name: string, keysOf: KeysOf): boolean {
    if (this.#keysOfWhole(name, keysOf).includes(key)) {
      this.#isWhole = true
      return true
    }
    const place = this.#keysOfRecords(name, keysOf).get(key)
    if (place !== undefined) this.#met.add(place)
    return place !== undefined
  }

  #keysOfWhole(name: string, keysOf: KeysOf): readonly string[] {
    const keys = this.#whole.get(name) ?? keysOf(this.bytes)
    this.#whole.set(name, keys)
    return keys
  }

  /** Of records that are alike the first one stands for all. */
  #keysOfRecords(name: string, keysOf: KeysOf): ReadonlyMap<string, number> {
    const known = this.#records.get(name)
    if (known) return known
    const keys = new Map<string, number>()
    for (const [place, record] of this.records.entries()) {
      for (const key of keysOf(record)) if (!keys.has(key)) keys.set(key, place)
    }
    this.#records.set(name, keys)
    return keys
  }
}

function ofBundles(hash: HashName): KeysOf {
  return (payload) => {
    const key = keyIfAny(payload, hash)
    return key === undefined ? [] : [key]
  }
}

/** What messages should be about, as it was asked for. */
export interface PayloadOptions {
  readonly payload?: string
  readonly format?: RecordFormat
  readonly chunkBytes: number
}

/**
 * A payload with all that `annotate` would take out of it.
 *
 * @throws AlvariumError `CONFIG_INVALID` when it cannot be read, or not in the format that was asked for
 */
export async function openPayload(
  path: string,
  { format, chunkBytes }: PayloadOptions,
  input: Input,
): Promise<AskedPayload> {
  const source = sourceOf(path, input)
  const bytes = await allOf(source).catch((error) => {
    throw error instanceof Unreadable ? invalid('--payload', error.expected, error.got) : error
  })
  const cut = { format: format ?? formatOf(source), chunkBytes, isGrowing: false }
  if (cut.format === 'whole') return new AskedPayload(bytes)
  try {
    const again = { name: source.name, bytes: () => once(bytes) }
    const records: Uint8Array[] = []
    for await (const record of payloadsOf(again, cut)) records.push(record)
    return new AskedPayload(bytes, records)
  } catch (error) {
    // It may have been annotated as a whole, whatever its name says.
    if (format !== undefined || !(error instanceof AlvariumError)) throw error
    return new AskedPayload(bytes, [], error.message)
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}
