/** What is asked about a message in the Verify tool, and what is answered. */
import type { Outcome, VerifiedAnnotation, VerifiedBundle } from 'alvarium-sdk'
import type { Trouble } from './trouble.ts'

/** A message to check outside the stream, or a sealed set, a proof about one, or an evidence pack. */
export interface Check {
  readonly message: Uint8Array<ArrayBuffer>
  /** An evidence pack, in the place of a message. */
  readonly pack?: Blob | undefined
  /** Sealed set that a proof is about. */
  readonly set?: Uint8Array<ArrayBuffer> | undefined
  /** What it should be about, if that is to be checked too. */
  readonly payload?: Uint8Array<ArrayBuffer>
  /**
   * Whom to trust instead of the public keys that this page has had: keys in any form, blank lines between several; or a trust policy,
   * and leases.
   */
  readonly keys?: string
}

/** What an annotation of another SDK came to: each has a signature of its own. */
export type ClassicAnswer =
  | Pick<VerifiedAnnotation, 'kind' | 'isSatisfied' | 'signer' | 'signedBy'>
  | { readonly trouble: Trouble }

export type MessageKind =
  | 'bundle'
  | 'batch'
  | 'extracted bundle'
  | 'Go'
  | 'Java'
  | 'Rust'
  | 'Python'
  | 'unknown'

/** What a message is, and what its checks came to. */
export interface Inspection {
  /** As far as can be told: `'Go'` and its like are messages of another SDK. */
  readonly kind: MessageKind | 'set' | 'proof' | 'pack'
  readonly encoding: 'JSON' | 'CBOR'
  readonly outcome: Outcome
  /** A verdict of cannot tell needs this: a noun where there is a trouble, a sentence about sets, proofs and packs. */
  readonly needs?: string | undefined
  /** True if public keys, or others, would tell. */
  readonly lacksKeys?: boolean
  /** The first check that failed; of a code that is no check's, why nothing could be checked. */
  readonly trouble?: Trouble
  /** What was verified; with a payload that is another, nothing was. */
  readonly bundles: readonly VerifiedBundle[]
  /** With the kinds of other SDKs, in the message's order. */
  readonly answers: readonly ClassicAnswer[]
  /** Verdict on a set, a proof or a pack in a sentence, and its reasons as pairs of a name and a value. */
  readonly says?: string
  readonly facts?: readonly (readonly [name: string, value: string])[]
}
