import { stat } from 'node:fs/promises'
import { AlvariumError } from '../../foundation/base/errors.js'
import { keyIfAny, keyOfDigest } from '../../foundation/core/hashing.js'
import type { Bundle, HashName } from '../../foundation/model/bundle.js'
import { SourceHasher } from '../../signing/sources/hasher.js'
import type { ClassicAnnotation } from '../../verifying/classic/annotation.js'
import type { Dialect } from '../../verifying/classic/dialect.js'
import { payloadKeys } from '../../verifying/classic/payload-keys.js'
import { invalid } from '../fault.js'
import { Unreadable } from '../input/files.js'
import { type FormatOptions, formOf, payloadsOf } from '../input/payloads.js'
import { allOf, type InputSource, MAX_IN_MEMORY, sourceOf } from '../input/source.js'
import type { Session } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { bar } from '../terminal/words.js'

/** Rules for deriving payload keys: those of bundles, or those of a classic dialect. */
interface KeyNaming {
  readonly name: string
  readonly hash: HashName
  keysOf(payload: Uint8Array): readonly string[]
  /** Converts a payload key of {@link LongPayload} to its spelling in bundles or in the classic dialect. */
  ofKey(key: string): string
}

/** Payload keys of a payload that is too long for memory, by hash. */
export type LongPayload = ReadonlyMap<HashName, string>

/**
 * Payload that messages should be about: a whole file, or the records that `annotate` reads from it. Hashes
 * each record only once for each {@link KeyNaming}.
 */
export class AskedPayload {
  readonly #whole = new Map<string, readonly string[]>()
  readonly #records = new Map<string, ReadonlyMap<string, number>>()
  /** Positions of the records that a verified message is about. */
  readonly #met = new Set<number>()
  #isWhole = false

  /**
   * @param whole - bytes of the file, or its payload key for each hash if the file is too long for memory
   * @param records - payloads that `annotate` reads from the file
   * @param fault - error that prevented reading the records
   */
  constructor(
    readonly whole: Uint8Array | LongPayload,
    readonly records: readonly Uint8Array[] = [],
    readonly fault?: string,
  ) {}

  /** Returns the payload key of the whole file; undefined if the file was not hashed with this hash. */
  keyBy(hash: HashName): string | undefined {
    return this.#keysOfWhole(ofBundles(hash))[0]
  }

  isOf({ key, hash }: Pick<Bundle, 'key' | 'hash'>): boolean {
    return this.#has(key, ofBundles(hash))
  }

  isOfClassic({ key, hash }: Pick<ClassicAnnotation, 'key' | 'hash'>, dialect: Dialect): boolean {
    return this.#has(key, ofDialect(hash, dialect))
  }

  /** True if the messages are about records, not the whole file. Every bundle of a batch must then match. */
  get isByRecord(): boolean {
    return !this.#isWhole && this.records.length > 1
  }

  /**
   * Number of different records that no message is about. 0 if a message is about the whole file, or no
   * message is about a record.
   */
  get missing(): number {
    if (!this.isByRecord || this.#met.size === 0) return 0
    return new Set(this.#keysOfRecords(ofBundles('sha256')).values()).size - this.#met.size
  }

  #has(key: string, naming: KeyNaming): boolean {
    if (this.#keysOfWhole(naming).includes(key)) {
      this.#isWhole = true
      return true
    }
    const place = this.#keysOfRecords(naming).get(key)
    if (place !== undefined) this.#met.add(place)
    return place !== undefined
  }

  #keysOfWhole(naming: KeyNaming): readonly string[] {
    const keys = this.#whole.get(naming.name) ?? keysOf(this.whole, naming)
    this.#whole.set(naming.name, keys)
    return keys
  }

  /** Returns the position of each record by its payload key. Equal records have the position of the first one. */
  #keysOfRecords({ name, keysOf }: KeyNaming): ReadonlyMap<string, number> {
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

function keysOf(whole: Uint8Array | LongPayload, { hash, keysOf, ofKey }: KeyNaming): readonly string[] {
  if (whole instanceof Uint8Array) return keysOf(whole)
  const key = whole.get(hash)
  return key === undefined ? [] : [ofKey(key)]
}

function ofBundles(hash: HashName): KeyNaming {
  const keysOf = (payload: Uint8Array) => {
    const key = keyIfAny(payload, hash)
    return key === undefined ? [] : [key]
  }
  return { name: hash, hash, keysOf, ofKey: (key) => key }
}

function ofDialect(hash: HashName, dialect: Dialect): KeyNaming {
  const keysOf = (payload: Uint8Array) => payloadKeys(payload, hash, dialect)
  return { name: `${hash} ${dialect.name}`, hash, keysOf, ofKey: (key) => dialect.key(key, hash) }
}

export interface PayloadOptions extends FormatOptions {
  readonly payload?: string
}

/** Reads a payload with all records that `annotate` would read from it. */
export async function openPayload(
  path: string,
  options: PayloadOptions,
  session: Session,
): Promise<AskedPayload> {
  const { input } = session
  const source = sourceOf(path, input)
  const cut = { ...formOf(source, options), isGrowing: false }
  const size = cut.format === 'whole' ? await sizeOf(path) : 0
  if (size > MAX_IN_MEMORY)
    return new AskedPayload(await keysOfLong(source, size, session).catch(throwOfOption))
  const bytes = await allOf(source).catch(throwOfOption)
  if (cut.format === 'whole') return new AskedPayload(bytes)
  try {
    const again = { name: source.name, bytes: () => once(bytes) }
    const records: Uint8Array[] = []
    for await (const record of payloadsOf(again, cut)) records.push(record)
    return new AskedPayload(bytes, records)
  } catch (error) {
    // If `--format` is missing, accept a file without records: it may have been annotated as a whole.
    if (options.format !== undefined || !(error instanceof AlvariumError)) throwOfOption(error)
    return new AskedPayload(bytes, [], error.message)
  }
}

function throwOfOption(error: unknown): never {
  throw error instanceof Unreadable ? invalid('--payload', error.expected, error.got) : error
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}

/** Returns the size of a file in bytes; 0 for a pipe, which has no known size. */
async function sizeOf(path: string): Promise<number> {
  const info = await stat(path).catch(() => undefined)
  return info?.isFile() ? info.size : 0
}

/** Hashes a long payload once, with all hash algorithms that messages may use. */
async function keysOfLong(source: InputSource, size: number, session: Session): Promise<LongPayload> {
  const hashers = (['sha256', 'md5'] as const).map((hash) => [hash, new SourceHasher(hash)] as const)
  const first = hashers[0]?.[1]
  const line = () => safeText`${bar((first?.size ?? 0) / size)}  ${source.name}`
  try {
    return await showProgress(session, line, async () => {
      for await (const piece of source.bytes()) for (const [, hasher] of hashers) await hasher.add(piece)
      return new Map(hashers.map(([hash, hasher]) => [hash, keyOfDigest(hasher.finish().digest, hash)]))
    })
  } finally {
    for (const [, hasher] of hashers) hasher.free()
  }
}
