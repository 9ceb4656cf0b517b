import type { Finding, SignedRecord } from 'alvarium-sdk/records'
import type { Outcome } from '../../model/outcome.js'

/** A finding about what did not verify. */
export type Refusal = Extract<Finding, { kind: 'refused' }>

/** What a file is compared with: messages, or a manifest. */
export interface Evidence {
  /** What it is, for people. */
  readonly what: 'messages' | 'manifest'
  /** Whether it lists every record, also where these are none. */
  readonly isWhole: boolean
  /** The outcomes of what did not verify. */
  readonly outcomes: ReadonlySet<Outcome>
  /** Messages of other SDKs, which were not compared. */
  readonly foreign: { readonly count: number }
  /** Returns where something was signed: a file, or a line of it. */
  placeOf(signed: Pick<SignedRecord, 'message'>): string
  /** Tells what did not verify. */
  refuse(refusal: Refusal): Promise<void>
}
