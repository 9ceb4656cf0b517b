import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { sizeChanged } from './source-errors.js'

const PIECE_BYTES = 1024 * 1024

interface BlobPieces {
  readonly size: number
  /** Returns the next piece, which is valid until `next` is called again. */
  next(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array }>
  cancel(reason: unknown): void
  end(): void
}

/** Begins to read a blob. It is used on platforms without an incremental hash. */
export function blobPieces(blob: Blob): BlobPieces {
  const filling = byobReader(blob)
  return filling ? readByob(blob, filling) : readSlices(blob)
}

/** Returns a reader that fills memory of the caller, or undefined if the blob's stream does not support that. */
function byobReader(blob: Blob): ReadableStreamBYOBReader | undefined {
  try {
    return blob.stream().getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

/** Reads a blob into one buffer. Slices take up to twice as long in Chromium, because each gets a new buffer. */
function readByob(blob: Blob, filling: ReadableStreamBYOBReader): BlobPieces {
  const { size } = blob
  let memory = new ArrayBuffer(PIECE_BYTES)
  return {
    size,
    next: async () => {
      const value = await fillMemory(filling, memory)
      memory = value.buffer
      if (value.length > 0) return { value }
      await assertUnchanged(blob, size)
      return { done: true }
    },
    cancel: (reason) => void filling.cancel(reason).catch(() => {}),
    end: () => filling.releaseLock(),
  }
}

/** Readers in use. Without a reference, Chromium collects a waiting BYOB reader, and its promise never settles. */
const waiting = new Set<ReadableStreamBYOBReader>()

/**
 * Fills a buffer in several reads, because Firefox reads as little as 4 KiB at a time, and short pieces hash slowly.
 *
 * @param memory - a buffer, which is detached; the result has the new buffer
 */
async function fillMemory(filling: ReadableStreamBYOBReader, memory: ArrayBuffer) {
  let [length, isDone] = [0, false]
  waiting.add(filling)
  try {
    while (!isDone && length < memory.byteLength) {
      const { done, value } = await filling.read(new Uint8Array(memory, length))
      if (value) memory = value.buffer
      length += value?.length ?? 0
      isDone = done
    }
  } finally {
    waiting.delete(filling)
  }
  return new Uint8Array(memory, 0, length)
}

/** Asserts that a file is unchanged. It reads the last byte, because Chromium checks only when a read begins. */
async function assertUnchanged(blob: Blob, size: number): Promise<void> {
  const last = await blob.slice(Math.max(0, size - 1), size).arrayBuffer()
  if (last.byteLength === 0 && size > 0) throw sizeChanged(size, 'fewer')
}

/** Reads a blob in slices. It reads the next slice while the caller hashes the current one. */
function readSlices(blob: Blob): BlobPieces {
  const { size } = blob
  let at = 0
  const ahead = () => {
    const bytes = blob.slice(at, at + PIECE_BYTES).arrayBuffer()
    at += PIECE_BYTES
    ignoreRejection(bytes)
    return bytes
  }
  let coming = size > 0 ? ahead() : undefined
  return {
    size,
    next: async () => {
      if (!coming) return { done: true }
      const value = new Uint8Array(await coming)
      coming = at < size ? ahead() : undefined
      return { value }
    },
    cancel: () => {},
    end: () => {},
  }
}
