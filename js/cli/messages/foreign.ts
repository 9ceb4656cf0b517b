import { AlvariumError } from '../../foundation/base/errors.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import type { Session } from '../session.js'
import { countOf } from '../terminal/words.js'

/** Counter of messages of other SDKs, for commands that read only bundles. */
export class ForeignMessages {
  count = 0

  take(message: Uint8Array): boolean {
    const isOne = isForeign(message)
    if (isOne) this.count++
    return isOne
  }

  async tell({ err }: Session, why: string): Promise<void> {
    if (this.count > 0) await err.note(`${countOf(this.count, 'message')} of other SDKs ${why}`)
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
