import { type AlvariumError, expected } from '../base/errors.js'
import { sourceTurns } from '../base/time/turns.js'
import { Hasher, type Held, hold, withCore } from '../core/core.js'
import type { HashName } from '../model/bundle.js'
import type { Digested, Engine } from '../model/payload.js'
import { type HostHasher, platform } from '../platform/platform.js'

/** So many sources are read in a thread at a time: each has a hash in memory that never shrinks. */
export const MOST_SOURCES = 1024
/** What is hashed in one go, for about a millisecond: by the host, and in the core. */
const HOST_PIECE_BYTES = 1024 * 1024
const CORE_PIECE_BYTES = 256 * 1024

let open = 0
/** Gives back the places of those that nobody has ended; not in every runtime at the edge. */
const lost =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry<SourcePermit>((place) => place.leave())
    : undefined

/** One of {@link MOST_SOURCES}. */
class SourcePermit {
  #isTaken = true

  /** @throws AlvariumError `QUEUE_FULL` */
  constructor() {
    if (open >= MOST_SOURCES) {
      const most = `at most ${MOST_SOURCES} sources to be read at a time`
      throw expected('QUEUE_FULL', 'payload', most, 'another one')
    }
    open++
  }

  leave(): void {
    if (this.#isTaken) open--
    this.#isTaken = false
  }
}

/** Hashes what comes in pieces, with turns for others in between. */
export class SourceHasher {
  readonly #place = new SourcePermit()
  readonly #hash: Incremental
  #size = 0
  #isFree = false

  /** @throws AlvariumError `QUEUE_FULL` */
  constructor(hash: HashName, engine: Engine = 'auto') {
    lost?.register(this, this.#place, this)
    try {
      this.#hash =
        hash === 'sha256' && engine !== 'wasm' && platform.hostHasher
          ? new HostHash(platform.hostHasher())
          : new CoreHash(hash)
    } catch (error) {
      this.#place.leave()
      throw error
    }
  }

  /** How many bytes it has seen. */
  get size(): number {
    return this.#size
  }

  /**
   * Takes the next piece. What is short is hashed before this returns, so that nobody can change it meanwhile.
   *
   * @returns what to wait for before the next one, if anything. Also after an empty piece: promises alone give nobody a turn, and a
   * source may have nothing else. What comes once its memory was given back is passed over. It rejects with `PAYLOAD_INVALID` when a long piece is transferred or resized before all of it is hashed
   */
  add(piece: Uint8Array): Promise<void> | undefined {
    if (this.#isFree) return undefined
    if (piece.length > this.#hash.most) return this.#addLong(piece)
    this.#hash.update(piece)
    this.#size += piece.length
    return sourceTurns.takeLong()
  }

  async #addLong(piece: Uint8Array): Promise<void> {
    const { length } = piece
    const { most } = this.#hash
    for (let at = 0; at < length; at += most) {
      this.#hash.update(piece.subarray(at, at + most))
      await sourceTurns.takeLong()
      // Whoever reads what passes may want no more in the middle of a piece. The core would trap, and take every SDK with it.
      if (this.#isFree) return
      if (piece.length !== length) throw gone(length, piece.length)
    }
    this.#size += length
  }

  finish(): Digested {
    return { digest: this.#hash.finish(), size: this.#size }
  }

  /** Gives its memory back. */
  free(): void {
    this.#isFree = true
    this.#place.leave()
    lost?.unregister(this)
    this.#hash.free()
  }
}

function gone(length: number, left: number): AlvariumError {
  const got = `${left}: its buffer was transferred or resized`
  return expected('PAYLOAD_INVALID', 'payload', `a piece of ${length} bytes until it is hashed`, got)
}

/** What hashes piece after piece. */
interface Incremental {
  /** Bytes of the longest piece that it hashes in one go. */
  readonly most: number
  update(piece: Uint8Array): void
  finish(): Uint8Array
  free(): void
}

class HostHash implements Incremental {
  readonly most = HOST_PIECE_BYTES
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

class CoreHash implements Incremental {
  readonly most = CORE_PIECE_BYTES
  readonly #hasher: Held<Hasher>

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
