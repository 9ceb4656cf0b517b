import type { VerdictWord } from '../../foundation/model/verdict-words.js'
import type { SafeText } from '../terminal/safe-text.js'
import type { AskOptions } from './asked.js'

/** Options of `alvarium set verify`. */
export interface SetVerifyOptions extends AskOptions {
  readonly key?: readonly string[]
  readonly trust?: string
  readonly receivedAt?: string
  readonly list?: string
  readonly before?: string
  readonly beforeList?: string
  readonly update?: string
  readonly json?: boolean
}

/** Result of one verification: words of FORMAT.md, a row for people, and the object for programs. */
export interface SetReport {
  readonly words: readonly VerdictWord[]
  readonly row: SafeText
  readonly json: object
}
