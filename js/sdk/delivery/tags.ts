import { type AlvariumError, describe, expected } from '../../foundation/base/errors.js'
import { isWellFormed } from '../../foundation/base/text/text.js'
import { MaxBytes } from '../../foundation/core/core.js'

const encoder = new TextEncoder()

/** Tags of single calls, encoded for the core. */
export class Tags {
  #last = { text: '', bytes: new Uint8Array() }

  /** @throws AlvariumError `CONFIG_INVALID` when no bundle can hold the tag */
  read(tag: unknown): Uint8Array {
    // Cache of one tag, because many calls have the same.
    if (tag === this.#last.text) return this.#last.bytes
    if (typeof tag !== 'string') throw invalid('a string', describe(tag))
    if (tag.length > MaxBytes.Tag) throw invalid(`at most ${MaxBytes.Tag} bytes`, `${tag.length} characters`)
    if (!isWellFormed(tag)) throw invalid('a string without lone surrogates', JSON.stringify(tag))
    const bytes = encoder.encode(tag)
    if (bytes.length > MaxBytes.Tag) throw invalid(`at most ${MaxBytes.Tag} bytes`, `${bytes.length}`)
    this.#last = { text: tag, bytes }
    return bytes
  }
}

function invalid(what: string, got: string): AlvariumError {
  return expected('CONFIG_INVALID', 'context.tag', what, got)
}
