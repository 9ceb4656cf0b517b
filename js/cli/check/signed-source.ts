import type { Finding, SignedRecord } from 'alvarium-sdk/records'
import type { Action } from '../../foundation/model/bundle.js'
import type { Outcome } from '../../foundation/model/outcome.js'
import type { FormatOptions } from '../input/payloads.js'
import type { ControlOptions } from '../messages/control-reader.js'

/** Finding about a message or manifest that did not verify. */
export type Refusal = Extract<Finding, { kind: 'refused' }>

/** Messages or a manifest that a file is compared with. */
export interface SignedSource {
  /** Name of its kind for people. */
  readonly name: 'messages' | 'manifest'
  /** True if it lists every record. It may list none. */
  readonly isWhole: boolean
  /** Outcomes of the messages or the manifest that did not verify. */
  readonly outcomes: ReadonlySet<Outcome>
  /** True if something was signed after `--received-at`. */
  readonly isSignedLater: boolean
  /** Messages of other SDKs, which are counted and not compared. */
  readonly foreign: { readonly count: number }
  /** Returns the place of a signature: a file, or a line of it. */
  placeOf(signed: Pick<SignedRecord, 'message'>): string
  /** Reports a message or manifest that did not verify. */
  refuse(refusal: Refusal): Promise<void>
}

/** Options of `alvarium check`. */
export interface CheckArguments extends ControlOptions, FormatOptions {
  readonly action?: Action
  readonly by?: string
  readonly maxRecords: number
  readonly salt?: string
  readonly json?: boolean
}
