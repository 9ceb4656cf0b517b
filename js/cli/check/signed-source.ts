import type { SignedRecord } from 'alvarium-sdk/records'
import type { Action } from '../../foundation/model/bundle.js'
import type { Refusals } from '../audit/refusals.js'
import type { FormatOptions } from '../input/payloads.js'
import type { ControlOptions } from '../messages/control-reader.js'

/** Signed messages, or a signed manifest, that the records of a file are compared with. */
export interface SignedSource {
  readonly name: 'messages' | 'manifest'
  /** True if the evidence lists every record of the file. The list may be empty. */
  readonly isWhole: boolean
  readonly refusals: Refusals
  /** Number of messages of other SDKs. The check does not compare records with them. */
  readonly foreign: { readonly count: number }
  placeOf(signed: Pick<SignedRecord, 'message'>): string
}

export interface CheckArguments extends ControlOptions, FormatOptions {
  readonly action?: Action
  readonly by?: string
  readonly maxRecords: number
  readonly salt?: string
  readonly json?: boolean
}
