import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { sourceTurns } from '../../foundation/base/time/turns.js'
import { Hasher, hold, withCore } from '../../foundation/core/core.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Engine, SourceDigest } from '../../foundation/model/payload.js'
import { type HostHasher, platform } from '../../foundation/platform/platform.js'

/** Maximum number of sources that a thread reads at once. Each needs memory of the core, which never shrinks. */
export const MAX_OPEN_SOURCES = 1024
/** Number of bytes that are hashed in one step of about a millisecond: by the host, and by the core. */
const HOST_PIECE_BYTES = 1024 * 1024
const CORE_PIECE_BYTES = 256 * 1024

let openSources = 0
/** Releases the `SourcePermit` of a garbage-collected hasher. Some edge runtimes lack `FinalizationRegistry`. */
const lostHashers =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry<SourcePermit>((place) => place.release())
    : undefined

/** A permit to read a source. At most {@link MAX_OPEN_SOURCES} exist at the same time. */
class SourcePermit {
  #isTaken = true

  constructor() {
    if (openSources >= MAX_OPEN_SOURCES) {
      const expectation = `at most ${MAX_OPEN_SOURCES} sources that are read at a time`
      throw expected('QUEUE_FULL', 'payload', expectation, `${MAX_OPEN_SOURCES + 1}`)
    }
    openSources++
  }

  release(): void {
    if (this.#isTaken) openSources--
    this.#isTaken = false
  }
}

/** Hasher of bytes that arrive in pieces. Other tasks run between the pieces. */
export class SourceHasher {
  readonly #place = new SourcePermit()
  readonly #hash: IncrementalHash
  #size = 0
  #isFree = false

  constructor(hash: HashName, engine: Engine = 'auto') {
    lostHashers?.register(this, this.#place, this)
    try {
      this.#hash =
        hash === 'sha256' && engine !== 'wasm' && platform.hostHasher
          ? hostHash(platform.hostHasher())
          : coreHash(hash)
    } catch (error) {
      this.#place.release()
      throw error
    }
  }

  get size(): number {
    return this.#size
  }

  /**
   * Adds the next piece. A short piece is hashed before this method returns, so that nobody can change it meanwhile.
   * Pieces after `free` are ignored.
   *
   * @returns a promise to await before the next piece, or undefined. An empty piece may return a promise too, so that a
   * source with only empty pieces does not block. The promise rejects with `PAYLOAD_INVALID` if a long piece is
   * transferred or resized before all of it is hashed
   */
  add(piece: Uint8Array): Promise<void> | undefined {
    if (this.#isFree) return undefined
    if (piece.length > this.#hash.maxPieceBytes) return this.#addLong(piece)
    this.#hash.update(piece)
    this.#size += piece.length
    return sourceTurns.yieldIfDueLong()
  }

  async #addLong(piece: Uint8Array): Promise<void> {
    const { length } = piece
    const { maxPieceBytes } = this.#hash
    for (let at = 0; at < length; at += maxPieceBytes) {
      this.#hash.update(piece.subarray(at, at + maxPieceBytes))
      await sourceTurns.yieldIfDueLong()
      // Stop if the hasher was freed meanwhile, because the reader stopped. Using it would trap the core, and
      // break every SDK.
      if (this.#isFree) return
      if (piece.length !== length) throw pieceChanged(length, piece.length)
    }
    this.#size += length
  }

  finish(): SourceDigest {
    return { digest: this.#hash.finish(), size: this.#size }
  }

  free(): void {
    this.#isFree = true
    this.#place.release()
    lostHashers?.unregister(this)
    this.#hash.free()
  }
}

function pieceChanged(length: number, left: number): AlvariumError {
  const got = `${left}: its buffer was transferred or resized`
  return expected(
    'PAYLOAD_INVALID',
    'payload',
    `a piece that keeps its ${length} bytes until it is hashed`,
    got,
  )
}

interface IncrementalHash {
  readonly maxPieceBytes: number
  update(piece: Uint8Array): void
  finish(): Uint8Array
  free(): void
}

function hostHash(hasher: HostHasher): IncrementalHash {
  return {
    maxPieceBytes: HOST_PIECE_BYTES,
    update: (piece) => hasher.update(piece),
    finish: () => hasher.digest(),
    free: () => {},
  }
}

function coreHash(hash: HashName): IncrementalHash {
  const hasher = hold(() => new Hasher(hash))
  return {
    maxPieceBytes: CORE_PIECE_BYTES,
    update: (piece) => withCore(() => hasher.object.update(piece)),
    finish: () => withCore(() => hasher.object.finish()),
    free: () => hasher.release(),
  }
}
