import { AlvariumError } from '../../base/errors.js'
import { readIfClassic } from '../../classic/read-message.js'
import type { Session } from '../session.js'
import { shown, yellow } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'

/** Messages of the other SDKs among those of a command that reads bundles alone. */
export class ForeignMessages {
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Counts a message if it has the form of another SDK's. */
  take(message: Uint8Array): boolean {
    const isOne = isForeign(message)
    if (isOne) this.#count++
    return isOne
  }

  /** Says how many there were, if there were some. @param why - nothing was done with them */
  async tell({ err }: Session, why: string): Promise<void> {
    if (this.#count === 0) return
    await err.line(shown`${yellow('note')}  ${counted(this.#count, 'message')} of other SDKs ${why}`)
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
