import { onAbort, unlessAborted } from '../base/time/abort.js'
import type { SourceOptions } from '../model/payload.js'
import type { Take } from './flowing.js'
import { type Piece, type Pieces, piecesOf, type ReadableSource } from './pieces.js'
import { tell } from './progress.js'
import { otherSize, unreadable } from './refusals.js'

/** Most often that somebody is told how far it came. */
const TELL_EVERY_MS = 100

/** A source that is read until it ends or is aborted, whichever comes first. */
export class SourceReading {
  readonly #pieces: Pieces
  readonly #options: SourceOptions
  readonly #forget: (() => void) | undefined
  #stop: (reason: unknown) => void = () => {}
  #tellAt = performance.now() + TELL_EVERY_MS

  /** @throws AlvariumError `PAYLOAD_INVALID` when it cannot be read, or was read before */
  constructor(source: ReadableSource, options: SourceOptions) {
    const { signal } = options
    this.#options = options
    try {
      this.#pieces = piecesOf(source)
    } catch (error) {
      throw unreadable(error)
    }
    this.#forget = signal && onAbort(signal, () => this.#stop(signal.reason))
  }

  /** Hands over piece after piece, to the end. Rejects as `next` does, and with what `take` throws. */
  async each(take: Take): Promise<void> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    if (this.#pieces.flow) return unlessAborted(this.#pieces.flow(take), signal)
    for (let next = await this.next(); !next.done; next = await this.next()) {
      // Awaited only where there is something to wait for: a source of 10 GB has 160,000 pieces.
      const turn = take(next.value)
      if (turn) await turn
    }
  }

  /** The next piece, if there is one. Rejects with `PAYLOAD_INVALID`, or the signal's reason. */
  next(): Promise<Piece> {
    const { signal } = this.#options
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      // One promise for both: to race each piece against the signal would leave something behind in it.
      this.#stop = reject
      // Somebody's own may return nothing at all.
      this.#pieces.next().then(
        (piece) => resolve(Object(piece)),
        (error) => reject(unreadable(error)),
      )
    })
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
    this.#forget?.()
    tell(this.#options.onProgress, { bytes, size: this.#pieces.size })
  }

  /** Something went wrong. */
  cancel(reason: unknown): void {
    this.#forget?.()
    this.#pieces.cancel(reason)
  }
}
