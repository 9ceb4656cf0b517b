import { type SafeText, safeText } from '../terminal/safe-text.js'
import { bar } from '../terminal/words.js'
import { filesIn, Unreadable } from './files.js'

/** Share of the bytes of files and folders that were read. */
export class ReadShare {
  readonly #size: number | undefined
  #bytes = 0

  private constructor(size: number | undefined) {
    this.#size = size
  }

  /**
   * Returns a share of the sources' total size. Without that size, the progress has no bar.
   *
   * @param sources - files and folders; for any other source the size is unknown
   */
  static async of(sources: readonly string[]): Promise<ReadShare> {
    return new ReadShare(await sizeOf(sources))
  }

  /** Counts bytes of a source, in their length on disk. */
  readonly addBytes = (bytes: number): void => {
    this.#bytes += bytes
  }

  /** Returns the counts behind a bar with the share. Without a known size, it returns only the counts. */
  before(counts: SafeText): SafeText {
    return this.#size === undefined ? counts : safeText`${bar(this.#bytes / this.#size)}  ${counts}`
  }
}

/**
 * Returns the total bytes of files and folders; undefined if another source is among them, or if all are
 * empty.
 */
async function sizeOf(sources: readonly string[]): Promise<number | undefined> {
  let size = 0
  for await (const file of filesIn(sources)) {
    if (file instanceof Unreadable) return undefined
    size += file.bytes
  }
  return size === 0 ? undefined : size
}
