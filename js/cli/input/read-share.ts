import { type SafeText, safeText } from '../terminal/safe-text.js'
import { bar } from '../terminal/words.js'
import { filesIn, Unreadable } from './files.js'

/** Share of the input bytes that a command has read. */
export class ReadShare {
  readonly #size: number | undefined
  #bytes = 0

  private constructor(size: number | undefined) {
    this.#size = size
  }

  /**
   * Returns a counter of the bytes read, as a share of the sources' total size. If that size is unknown, the
   * progress line has no bar.
   *
   * @param sources - files and folders; the size of any other source is unknown
   */
  static async of(sources: readonly string[]): Promise<ReadShare> {
    return new ReadShare(await sizeOf(sources))
  }

  readonly addBytes = (bytes: number): void => {
    this.#bytes += bytes
  }

  /** Returns the counts with a progress bar in front. Omits the bar if the total size is unknown. */
  before(counts: SafeText): SafeText {
    return this.#size === undefined ? counts : safeText`${bar(this.#bytes / this.#size)}  ${counts}`
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
