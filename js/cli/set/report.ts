import type { VerdictWord } from '../../foundation/model/verdict-words.js'
import type { StoredOptions } from '../keys/trusted.js'
import type { SafeText } from '../terminal/safe-text.js'
import type { AskOptions } from './asked.js'

export interface SetVerifyOptions extends AskOptions, StoredOptions {
  readonly list?: string
  readonly before?: string
  readonly beforeList?: string
  readonly update?: string
  readonly json?: boolean
}

export interface SetReport {
  readonly words: readonly VerdictWord[]
  readonly row: SafeText
  readonly json: object
}
