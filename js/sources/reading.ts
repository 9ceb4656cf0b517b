import { unlessAborted } from '../base/time/abort.js'
import type { SourceOptions } from '../model/payload.js'
import type { TakePiece } from './flowing.js'
import { type Piece, type Pieces, piecesOf, type ReadableSource } from './pieces.js'
import { tell } from './progress.js'
import { otherSize, unreadable } from './refusals.js'

/** Most often that somebody is told how far it came. */
const TELL_EVERY_MS = 100

/** A source that is read until it ends or is aborted, whichever comes first. */
export class SourceReading {
  readonly #pieces: Pieces
  readonly #options: SourceOptions
  #isOver = false
  #tellAt = performance.now() + TELL_EVERY_MS

  /** @throws AlvariumError `PAYLOAD_INVALID` when it cannot be read, or was read before */
  constructor(source: ReadableSource, options: SourceOptions) {
    this.#options = options
    try {
      this.#pieces = piecesOf(source)
    } catch (error) {
      throw unreadable(error)
    }
  }

  /** Hands over piece after piece, to the end. Rejects with `PAYLOAD_INVALID`, the signal's reason, and with what `take` throws. */
  async each(take: TakePiece): Promise<void> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    const { flow } = this.#pieces
    return unlessAborted(flow ? flow(take) : this.#inTurn(take), signal)
  }

  /** A source of 10 GB has 160,000 pieces: nothing is awaited, or made, for each that need not be. */
  async #inTurn(take: TakePiece): Promise<void> {
    for (let next = await this.#next(); !next.done && !this.#isOver; next = await this.#next()) {
      const turn = take(next.value)
      if (turn) await turn
      if (this.#isOver) return
    }
  }

  /** The next piece, if there is one. Rejects with `PAYLOAD_INVALID`, or the signal's reason. */
  async next(): Promise<Piece> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    return unlessAborted(this.#next(), signal)
  }

  async #next(): Promise<Piece> {
    try {
      // Somebody's own may return nothing at all.
      return Object(await this.#pieces.next())
    } catch (error) {
      throw unreadable(error)
    }
  }

  /** So many bytes were hashed. @throws AlvariumError `PAYLOAD_INVALID` when that is more than it said */
  took(bytes: number): void {
    const { size = bytes } = this.#pieces
    if (bytes > size) throw otherSize(size, `${bytes} or more`)
    const { onProgress } = this.#options
    if (!onProgress || performance.now() < this.#tellAt) return
    this.#tellAt = performance.now() + TELL_EVERY_MS
    tell(onProgress, { bytes, size: this.#pieces.size })
  }

  /** That was all. @throws AlvariumError `PAYLOAD_INVALID` when there is less than it said */
  end(bytes: number): void {
    const { size = bytes } = this.#pieces
    if (bytes !== size) throw otherSize(size, bytes)
    this.#pieces.end()
    tell(this.#options.onProgress, { bytes, size: this.#pieces.size })
  }

  /** Something went wrong. */
  cancel(reason: unknown): void {
    this.#isOver = true
    this.#pieces.cancel(reason)
  }
}
