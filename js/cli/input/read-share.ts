import { type Shown, shown } from '../terminal/shown.js'
import { bar } from '../terminal/words.js'
import { filesIn, Unreadable } from './files.js'

/** Share of the bytes of files and folders that were read. */
export class ReadShare {
  readonly #size: number | undefined
  #bytes = 0

  private constructor(size: number | undefined) {
    this.#size = size
  }

  /** @param sources - files and folders, of which the size is known; there is no share if one is something else */
  static async of(sources: readonly string[]): Promise<ReadShare> {
    return new ReadShare(await sizeOf(sources))
  }

  /** Counts bytes of a source, as they are in the file. */
  readonly addBytes = (bytes: number): void => {
    this.#bytes += bytes
  }

  /** Returns a bar with the share, before what was counted; that alone if the size is not known. */
  before(counts: Shown): Shown {
    return this.#size === undefined ? counts : shown`${bar(this.#bytes / this.#size)}  ${counts}`
  }
}

/** Returns the bytes of files and folders; undefined if a source is something else. */
async function sizeOf(sources: readonly string[]): Promise<number | undefined> {
  let size = 0
  for await (const file of filesIn(sources)) {
    if (file instanceof Unreadable) return undefined
    size += file.bytes
  }
  return size === 0 ? undefined : size
}
