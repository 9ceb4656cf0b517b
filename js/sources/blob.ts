import { ignoreRejection } from '../base/time/promises.js'
import { otherSize } from './refusals.js'

/** So much of a blob is in memory at a time. */
const PIECE_BYTES = 1024 * 1024

/** How it is read. */
interface BlobPieces {
  readonly size: number
  /** A piece is good until the next one is asked for. */
  next(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array }>
  cancel(reason: unknown): void
  end(): void
}

/** A blob where the host has no hash. */
export function ofBlob(blob: Blob): BlobPieces {
  const filling = fillingOf(blob)
  return filling ? byFilling(blob, filling) : bySlices(blob)
}

/** What reads into memory that is given, where streams of blobs can. */
function fillingOf(blob: Blob): ReadableStreamBYOBReader | undefined {
  try {
    return blob.stream().getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

/** Slices come each into memory of their own, from another process: with them Chromium takes up to twice as long for the blob and its hash. */
function byFilling(blob: Blob, filling: ReadableStreamBYOBReader): BlobPieces {
  const { size } = blob
  let memory = new ArrayBuffer(PIECE_BYTES)
  return {
    size,
    next: async () => {
      const value = await filled(filling, memory)
      memory = value.buffer
      if (value.length > 0) return { value }
      await assertUnchanged(blob, size)
      return { done: true }
    },
    cancel: (reason) => void filling.cancel(reason).catch(() => {}),
    end: () => filling.releaseLock(),
  }
}

/** Who waits for a blob's bytes. Chromium collects what fills given memory while nothing else holds it: it then never answers. */
const waiting = new Set<ReadableStreamBYOBReader>()

/**
 * Firefox has as little as 4 KiB at a time: to hash each as it comes takes it longer.
 *
 * @param memory - is detached, and comes back as that of what was read
 */
async function filled(filling: ReadableStreamBYOBReader, memory: ArrayBuffer) {
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

/** Chromium looks whether a file is still as it was when somebody begins to read it, and not again. So somebody begins once more, at its end. */
async function assertUnchanged(blob: Blob, size: number): Promise<void> {
  const last = await blob.slice(Math.max(0, size - 1), size).arrayBuffer()
  if (last.byteLength === 0 && size > 0) throw otherSize(size, 'fewer')
}

/** The next slice is read while this one is hashed. */
function bySlices(blob: Blob): BlobPieces {
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
