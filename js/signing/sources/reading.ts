import { unlessAborted } from '../../foundation/base/time/abort.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import type { Progress, SourceOptions } from '../../foundation/model/payload.js'
import type { TakePiece } from './flowing.js'
import { type Piece, type Pieces, piecesOf, type ReadableSource } from './pieces.js'
import { sizeChanged, unreadable } from './source-errors.js'

const MIN_REPORT_INTERVAL_MS = 100

/** Reader of a source that stops when the source ends or the signal aborts, whichever comes first. */
export class SourceReading {
  readonly #pieces: Pieces
  readonly #options: SourceOptions
  #isOver = false
  #tellAt = performance.now() + MIN_REPORT_INTERVAL_MS

  constructor(source: ReadableSource, options: SourceOptions) {
    this.#options = options
    try {
      this.#pieces = piecesOf(source)
    } catch (error) {
      throw unreadable(error)
    }
  }

  /**
   * Passes all pieces to `take`, in order. Rejects with `PAYLOAD_INVALID`, the signal's reason, or errors of `take`.
   */
  async each(take: TakePiece): Promise<void> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    const { flow } = this.#pieces
    return unlessAborted(flow ? flow(take) : this.#inTurn(take), signal)
  }

  /** Reads without needless promises or objects, because a source of 10 GB has 160,000 pieces. */
  async #inTurn(take: TakePiece): Promise<void> {
    for (let next = await this.#next(); !next.done && !this.#isOver; next = await this.#next()) {
      const turn = take(next.value)
      if (turn) await turn
      if (this.#isOver) return
    }
  }

  async next(): Promise<Piece> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    return unlessAborted(this.#next(), signal)
  }

  async #next(): Promise<Piece> {
    try {
      // Accept any result, because a source of an application may return nothing at all.
      return Object(await this.#pieces.next())
    } catch (error) {
      throw unreadable(error)
    }
  }

  /** Reports the number of bytes so far. @throws AlvariumError `PAYLOAD_INVALID` for more bytes than stated */
  reportBytes(bytes: number): void {
    const { size = bytes } = this.#pieces
    if (bytes > size) throw sizeChanged(size, `${bytes} or more`)
    const { onProgress } = this.#options
    if (!onProgress || performance.now() < this.#tellAt) return
    this.#tellAt = performance.now() + MIN_REPORT_INTERVAL_MS
    reportProgress(onProgress, { bytes, size: this.#pieces.size })
  }

  /** Ends the reading. @throws AlvariumError `PAYLOAD_INVALID` unless the source had as many bytes as it states */
  end(bytes: number): void {
    const { size = bytes } = this.#pieces
    if (bytes !== size) throw sizeChanged(size, bytes)
    this.#pieces.end()
    reportProgress(this.#options.onProgress, { bytes, size: this.#pieces.size })
  }

  cancel(reason: unknown): void {
    this.#isOver = true
    this.#pieces.cancel(reason)
  }
}

/** Calls the progress callback. Ignores its errors, because a failing progress display must not fail the payload. */
export function reportProgress(onProgress: SourceOptions['onProgress'], progress: Progress): void {
  try {
    ignoreRejection(onProgress?.(progress))
  } catch {
    // Ignore errors of the caller's callback.
  }
}
