import { filesIn, Unreadable } from '../input/files.js'
import type { Session } from '../session.js'
import { ProgressLine } from '../terminal/progress.js'
import { shown } from '../terminal/shown.js'
import { bar, counted } from '../terminal/words.js'
import type { FoundMessage } from './found.js'

/** Shows how many messages were read, and of files the share of their bytes. */
export class ReadProgress {
  readonly #size: number | undefined
  readonly #line: ProgressLine
  #bytes = 0
  #messages = 0

  private constructor(size: number | undefined, session: Pick<Session, 'err'>) {
    this.#size = size
    this.#line = new ProgressLine(session, () => {
      const read = shown`${counted(this.#messages, 'message')}`
      return this.#size === undefined ? read : shown`${bar(this.#bytes / this.#size)}  ${read}`
    })
    this.#line.begin()
  }

  /** @param sources - files and folders, of which the size is known; no share is shown if there are others */
  static async begin(sources: readonly string[], session: Pick<Session, 'err'>): Promise<ReadProgress> {
    return new ReadProgress(await sizeOf(sources), session)
  }

  /** Counts bytes of a source, as they are in the file. */
  readonly addBytes = (bytes: number): void => {
    this.#bytes += bytes
  }

  /** Passes messages on and counts them. It ends with them. */
  async *count(messages: AsyncIterable<FoundMessage[]>): AsyncGenerator<FoundMessage[], void> {
    try {
      for await (const found of messages) {
        this.#messages += found.length
        yield found
      }
    } finally {
      this.end()
    }
  }

  end(): void {
    this.#line.end()
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
