import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { sourceTurns } from '../../foundation/base/time/turns.js'
import { type CoreObject, Hasher, hold, withCore } from '../../foundation/core/core.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Engine, SourceDigest } from '../../foundation/model/payload.js'
import { type HostHasher, platform } from '../../foundation/platform/platform.js'

/** Limit of sources that are read in a thread at a time: each has a hash state in memory that never shrinks. */
export const MAX_OPEN_SOURCES = 1024
/** Bytes that are hashed in one step of about a millisecond: by the host, and in the core. */
const HOST_PIECE_BYTES = 1024 * 1024
const CORE_PIECE_BYTES = 256 * 1024

let openSources = 0
/** Registry that releases the permits of lost hashers; missing in some edge runtimes. */
const lostHashers =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry<SourcePermit>((place) => place.release())
    : undefined

/** Permit to read a source, one of {@link MAX_OPEN_SOURCES}. */
class SourcePermit {
  #isTaken = true

  /** @throws AlvariumError `QUEUE_FULL` */
  constructor() {
    if (openSources >= MAX_OPEN_SOURCES) {
      const most = `at most ${MAX_OPEN_SOURCES} sources to be read at a time`
      throw expected('QUEUE_FULL', 'payload', most, 'another one')
    }
    openSources++
  }

  release(): void {
    if (this.#isTaken) openSources--
    this.#isTaken = false
  }
}

/** Hasher for bytes that arrive in pieces. Other tasks run between the pieces. */
export class SourceHasher {
  readonly #place = new SourcePermit()
  readonly #hash: IncrementalHash
  #size = 0
  #isFree = false

  /** @throws AlvariumError `QUEUE_FULL` */
  constructor(hash: HashName, engine: Engine = 'auto') {
    lostHashers?.register(this, this.#place, this)
    try {
      this.#hash =
        hash === 'sha256' && engine !== 'wasm' && platform.hostHasher
          ? new HostHash(platform.hostHasher())
          : new CoreHash(hash)
    } catch (error) {
      this.#place.release()
      throw error
    }
  }

  /** Number of bytes hashed so far. */
  get size(): number {
    return this.#size
  }

  /**
   * Adds the next piece. A short piece is hashed before this returns, so that nobody can change it meanwhile. Pieces after `free` are
   * ignored.
   *
   * @returns a promise if the next piece must wait. There may be one after an empty piece too: a source may have no others, and promises
   * alone let no other tasks run. It rejects with `PAYLOAD_INVALID` if a long piece is transferred or resized before all of it is hashed
   */
  add(piece: Uint8Array): Promise<void> | undefined {
    if (this.#isFree) return undefined
    if (piece.length > this.#hash.maxPieceBytes) return this.#addLong(piece)
    this.#hash.update(piece)
    this.#size += piece.length
    return sourceTurns.takeLong()
  }

  async #addLong(piece: Uint8Array): Promise<void> {
    const { length } = piece
    const { maxPieceBytes } = this.#hash
    for (let at = 0; at < length; at += maxPieceBytes) {
      this.#hash.update(piece.subarray(at, at + maxPieceBytes))
      await sourceTurns.takeLong()
      // Stop if the hasher was freed in the middle of a piece, because the reader of the passing data stopped. The core would trap, and
      // every SDK with it.
      if (this.#isFree) return
      if (piece.length !== length) throw pieceChanged(length, piece.length)
    }
    this.#size += length
  }

  finish(): SourceDigest {
    return { digest: this.#hash.finish(), size: this.#size }
  }

  /** Frees the hash state. */
  free(): void {
    this.#isFree = true
    this.#place.release()
    lostHashers?.unregister(this)
    this.#hash.free()
  }
}

function pieceChanged(length: number, left: number): AlvariumError {
  const got = `${left}: its buffer was transferred or resized`
  return expected('PAYLOAD_INVALID', 'payload', `a piece of ${length} bytes until it is hashed`, got)
}

/** Incremental hash. */
interface IncrementalHash {
  /** Maximum bytes of a piece in one step. */
  readonly maxPieceBytes: number
  update(piece: Uint8Array): void
  finish(): Uint8Array
  free(): void
}

class HostHash implements IncrementalHash {
  readonly maxPieceBytes = HOST_PIECE_BYTES
  readonly #hasher: HostHasher

  constructor(hasher: HostHasher) {
    this.#hasher = hasher
  }

  update(piece: Uint8Array): void {
    this.#hasher.update(piece)
  }

  finish(): Uint8Array {
    return this.#hasher.digest()
  }

  free(): void {}
}

class CoreHash implements IncrementalHash {
  readonly maxPieceBytes = CORE_PIECE_BYTES
  readonly #hasher: CoreObject<Hasher>

  constructor(hash: HashName) {
    this.#hasher = hold(() => new Hasher(hash))
  }

  update(piece: Uint8Array): void {
    withCore(() => this.#hasher.object.update(piece))
  }

  finish(): Uint8Array {
    return withCore(() => this.#hasher.object.finish())
  }

  free(): void {
    this.#hasher.release()
  }
}
