/** Types of the Verify tool's requests and of the verifier's answers. */
import type { Outcome, VerifiedAnnotation, VerifiedBundle } from 'alvarium-sdk'
import type { Trouble } from './trouble.ts'

/** Request to check a message, a sealed set, a proof or an evidence pack that the visitor provides. */
export interface Check {
  readonly message: Uint8Array<ArrayBuffer>
  /** Evidence pack to check instead of `message`. */
  readonly pack?: Blob | undefined
  /** Sealed set that a proof is about. */
  readonly set?: Uint8Array<ArrayBuffer> | undefined
  /** Payload that the message should be about; undefined to skip this check. */
  readonly payload?: Uint8Array<ArrayBuffer>
  /**
   * Trusted keys, separated by white space (keys of OpenSSH by line breaks), or a trust
   * policy with its leases. Undefined or blank for the page's keys; for a pack, for the policy in the pack.
   */
  readonly keys?: string
}

/** Result of verifying one annotation of a classic message. Each annotation there has its own signature. */
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

export interface Inspection {
  /** Kind of the input. A language such as `'Go'` stands for a message of another SDK. */
  readonly kind: MessageKind | 'set' | 'proof' | 'pack'
  readonly encoding: 'JSON' | 'CBOR'
  readonly outcome: Outcome
  /** Missing part if the outcome is "cannot tell": a noun if there is an error, otherwise a sentence. */
  readonly needs?: string | undefined
  /** True if more or other public keys could decide the outcome. */
  readonly lacksKeys?: boolean
  /**
   * First failed check. An error code that belongs to no check, except `PROOF_INVALID`, means that nothing
   * could be checked.
   */
  readonly trouble?: Trouble
  /** Verified bundles; empty if the payload does not match. */
  readonly bundles: readonly VerifiedBundle[]
  readonly answers: readonly ClassicAnswer[]
  /** Verdict on a set, a proof or a pack in a sentence, with facts as pairs of name and value. */
  readonly says?: string
  readonly facts?: readonly (readonly [name: string, value: string])[]
}
