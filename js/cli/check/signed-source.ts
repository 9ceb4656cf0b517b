import type { Finding, SignedRecord } from 'alvarium-sdk/records'
import type { Action } from '../../foundation/model/bundle.js'
import type { Outcome } from '../../foundation/model/outcome.js'
import type { FormatOptions } from '../input/payloads.js'
import type { ControlOptions } from '../messages/control-reader.js'

/** Finding that a message or manifest did not verify. */
export type Refusal = Extract<Finding, { kind: 'refused' }>

/** Signed messages, or a signed manifest, that the records of a file are compared with. */
export interface SignedSource {
  /** Name of this kind of evidence in reports. */
  readonly name: 'messages' | 'manifest'
  /** True if the evidence lists every record of the file. The list may be empty. */
  readonly isWhole: boolean
  /** Outcomes of messages or manifests that did not verify. */
  readonly outcomes: ReadonlySet<Outcome>
  /** True if a message or the manifest was signed after `--received-at`. */
  readonly isSignedLater: boolean
  /** Number of messages of other SDKs. The check does not compare records with them. */
  readonly foreign: { readonly count: number }
  /** Returns the file, or the file and line, that contains a signature. */
  placeOf(signed: Pick<SignedRecord, 'message'>): string
  /** Reports a message or manifest that did not verify. */
  refuse(refusal: Refusal): Promise<void>
}

export interface CheckArguments extends ControlOptions, FormatOptions {
  readonly action?: Action
  readonly by?: string
  readonly maxRecords: number
  readonly salt?: string
  readonly json?: boolean
}
