import { type ReadShare, readShareOf } from '../input/read-share.js'
import type { Session } from '../session.js'
import { beginProgress } from '../terminal/progress.js'
import { safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import type { FoundMessage } from './found.js'

export class ReadProgress {
  readonly end: () => void
  #messages = 0
  readonly addBytes: (bytes: number) => void

  private constructor(share: ReadShare, session: Pick<Session, 'err'>) {
    this.addBytes = share.addBytes
    this.end = beginProgress(session, () => share.before(safeText`${countOf(this.#messages, 'message')}`))
  }

  static async begin(sources: readonly string[], session: Pick<Session, 'err'>): Promise<ReadProgress> {
    return new ReadProgress(await readShareOf(sources), session)
  }

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
}
