import type { Deferred } from '../base/time/promises.js'
import { unreadable } from './refusals.js'

/** Takes a piece: what to wait for before the next one, if anything. It throws where it takes no more. */
export type TakePiece = (piece: unknown) => Promise<void> | undefined

/** A stream of Node, or of a library that has its interface, as `readable-stream`. */
interface Flowing {
  readonly readableFlowing: boolean | null
  readonly destroyed: boolean
  readonly errored?: unknown
  on(event: string, listener: (value: unknown) => void): unknown
  off(event: string, listener: (value: unknown) => void): unknown
  pause(): unknown
  resume(): unknown
  destroy(): unknown
}

/** How such a stream is read. */
interface Flow {
  flow(take: TakePiece): Promise<void>
  cancel(): void
  end(): void
}

/** Whether it is such a stream, and flows once somebody listens: one that somebody has paused, or listens to already, does not. */
export function canFlow(source: object): source is Flowing {
  return 'readableFlowing' in source && source.readableFlowing === null
}

/**
 * As it flows. As an iterable it takes a few promises for each piece, and makes one piece of two by copying both:
 * for pieces of 64 KiB that is a tenth of what their hash takes.
 */
export function flowing(stream: Flowing): Flow {
  let stop = () => {}
  return {
    flow: (take) =>
      new Promise((resolve, reject) => {
        stop = listen(stream, take, { resolve, reject })
      }),
    cancel: () => {
      stop()
      // What it still says of itself is nobody's any more, and would end the process.
      stream.on('error', () => {})
      stream.destroy()
    },
    end: () => stop(),
  }
}

/** @returns what ends it */
function listen(stream: Flowing, take: TakePiece, { resolve, reject }: Deferred<void>): () => void {
  let turn: Promise<void> | undefined
  const listeners = {
    data(piece: unknown) {
      try {
        turn = take(piece)
        if (!turn) return
        stream.pause()
        turn.then(() => stream.resume(), reject)
      } catch (error) {
        stream.pause()
        reject(error)
      }
    },
    // Also of a stream that is paused, whose last piece is still being hashed; and it closes at once.
    end() {
      stream.off('close', listeners.close)
      Promise.resolve(turn).then(resolve, reject)
    },
    error: (error: unknown) => reject(unreadable(error)),
    close: () => listeners.error(stream.errored ?? new Error('it was closed before its end')),
  }
  // Nothing comes of it any more, not even that.
  if (stream.destroyed) listeners.close()
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener)
  return () => {
    for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener)
  }
}
