import type { Finding, SignedRecord } from 'alvarium-sdk/records'
import type { Outcome } from '../../model/outcome.js'

/** A finding about what did not verify. */
export type Refusal = Extract<Finding, { kind: 'refused' }>

/** Messages or a manifest that a file is compared with. */
export interface Evidence {
  /** Name of its kind for people. */
  readonly name: 'messages' | 'manifest'
  /** True if it lists every record. It may list none. */
  readonly isWhole: boolean
  /** The outcomes of what did not verify. */
  readonly outcomes: ReadonlySet<Outcome>
  /** True if something was signed after `--received-at`. */
  readonly isSignedLater: boolean
  /** Messages of other SDKs, which were not compared. */
  readonly foreign: { readonly count: number }
  /** Returns where something was signed: a file, or a line of it. */
  placeOf(signed: Pick<SignedRecord, 'message'>): string
  /** Tells what did not verify. */
  refuse(refusal: Refusal): Promise<void>
}
