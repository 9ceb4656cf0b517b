/** Requests to the Verify tool, and its answers. */
import type { Outcome, VerifiedAnnotation, VerifiedBundle } from 'alvarium-sdk'
import type { Trouble } from './trouble.ts'

/** A message to check outside the stream, or a sealed set, a proof about one, or an evidence pack. */
export interface Check {
  readonly message: Uint8Array<ArrayBuffer>
  /** Evidence pack, instead of a message. */
  readonly pack?: Blob | undefined
  /** Sealed set that a proof is about. */
  readonly set?: Uint8Array<ArrayBuffer> | undefined
  /** Payload that the message should be about, if that is to be checked too. */
  readonly payload?: Uint8Array<ArrayBuffer>
  /**
   * Trusted keys, instead of the public keys that this page has had: in any form, with blank lines between several; or
   * a trust policy and leases.
   */
  readonly keys?: string
}

/** Result of one annotation of another SDK, each with its own signature. */
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

/** Kind of a message, and the results of its checks. */
export interface Inspection {
  /** Kind, as far as it can be recognized; a name such as `'Go'` is that of another SDK. */
  readonly kind: MessageKind | 'set' | 'proof' | 'pack'
  readonly encoding: 'JSON' | 'CBOR'
  readonly outcome: Outcome
  /**
   * Missing part behind the verdict "cannot tell": a noun if there is a trouble, a sentence about sets, proofs and
   * packs.
   */
  readonly needs?: string | undefined
  /** True if other or additional public keys could decide. */
  readonly lacksKeys?: boolean
  /** First failed check; with the code of no check, the reason why nothing could be checked. */
  readonly trouble?: Trouble
  /** Verified bundles; empty if the payload differs. */
  readonly bundles: readonly VerifiedBundle[]
  /** Answers of other SDKs' messages, in the message's order. */
  readonly answers: readonly ClassicAnswer[]
  /** Verdict on a set, a proof or a pack in a sentence, and its reasons as pairs of a name and a value. */
  readonly says?: string
  readonly facts?: readonly (readonly [name: string, value: string])[]
}
