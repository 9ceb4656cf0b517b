import { AlvariumError } from '../../foundation/base/errors.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import type { Session } from '../session.js'
import { safeText, yellow } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'

/** Messages of the other SDKs, for commands that read bundles alone. */
export class ForeignMessages {
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Counts a message if it has the form of another SDK's. @returns whether it has */
  take(message: Uint8Array): boolean {
    const isOne = isForeign(message)
    if (isOne) this.#count++
    return isOne
  }

  /** Reports how many there were, if any. @param why - the reason for which they were not used */
  async tell({ err }: Session, why: string): Promise<void> {
    if (this.#count === 0) return
    await err.line(safeText`${yellow('note')}  ${countOf(this.#count, 'message')} of other SDKs ${why}`)
  }
}

function isForeign(message: Uint8Array): boolean {
  try {
    return readIfClassic(message) !== undefined
  } catch (error) {
    if (error instanceof AlvariumError) return false
    throw error
  }
}
