import type { Action } from '../../foundation/model/bundle.js'
import type { FormatOptions } from '../input/payloads.js'
import type { ControlOptions } from '../messages/beside.js'

/** Options of `alvarium check`. */
export interface CheckArguments extends ControlOptions, FormatOptions {
  readonly action?: Action
  readonly by?: string
  readonly maxRecords: number
  readonly salt?: string
  readonly json?: boolean
}
