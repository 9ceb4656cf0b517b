import { type SafeText, safeText } from '../terminal/safe-text.js'
import { bar } from '../terminal/words.js'
import { filesIn, Unreadable } from './files.js'

/** Share of the input bytes that a command has read. */
export interface ReadShare {
  /** Adds bytes read from a source, counted before decompression. */
  addBytes(bytes: number): void
  /** Returns the counts with a progress bar in front; without the bar if the total size is unknown. */
  before(counts: SafeText): SafeText
}

/** Returns a counter of the bytes read. @param sources - files and folders; the size of any other source is unknown */
export async function readShareOf(sources: readonly string[]): Promise<ReadShare> {
  const size = await sizeOf(sources)
  let read = 0
  return {
    addBytes: (bytes) => {
      read += bytes
    },
    before: (counts) => (size === undefined ? counts : safeText`${bar(read / size)}  ${counts}`),
  }
}

/** Returns the total bytes of files and folders; undefined for other sources, or if all are empty. */
async function sizeOf(sources: readonly string[]): Promise<number | undefined> {
  let size = 0
  for await (const file of filesIn(sources)) {
    if (file instanceof Unreadable) return undefined
    size += file.bytes
  }
  return size === 0 ? undefined : size
}
