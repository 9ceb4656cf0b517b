import { canonicalBytes } from '../base/text/canonical.js'
import type { Score } from '../judge/verdict.js'
import type { LineKind } from './parts.js'
import type { PackSubject } from './subject.js'
import type { PackWholeness } from './whole.js'

/** What became of the messages of one kind. */
export interface PackTally {
  /** Genuine, and allowed by the policy. */
  readonly verified: number
  /** Altered, or not allowed. */
  readonly refused: number
  /** Of signers whom the policy does not have. */
  readonly unknownSigner: number
}

/** What the checkpoints in the pack show of one signer. */
export interface PackedLog {
  /** Key id. */
  readonly signer: string
  /** See `SignerReport` of `alvarium-sdk/completeness`. Here a log is `'incomplete'`, too, when a listed message is not here that its stream refused. */
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  /** Messages that are listed and not here, whatever became of them. */
  readonly missing: number
  /** Messages of these that the signer says its stream refused. */
  readonly refused: number
  /** Messages of these that the stream had not accepted at the last checkpoint that is here. */
  readonly undecided: number
  /** Messages that are here, and in no log. */
  readonly unlisted: number
  /** Sizes at which its logs forked. */
  readonly forks: number
}

/** Verdict about a pack. A reader with the same pack, trust policy and score policy comes to the same bytes of it. */
export interface PackVerdict {
  /** Subject, as in the manifest. */
  readonly about: PackSubject
  readonly lines: Readonly<Record<LineKind, PackTally>>
  /** Different bundles. */
  readonly bundles: number
  /** Annotations of those, and verified ones of other SDKs. */
  readonly annotations: { readonly satisfied: number; readonly notSatisfied: number }
  /** Payloads that anything was said about. */
  readonly payloads: number
  /**
   * Score of the payload that the pack is about, as `judge` of `alvarium-sdk/judge` gives it: from 0 to 1, rounded down, or `unknown`.
   * Otherwise the lowest of all payloads, each by the statements about itself. 0 without any.
   */
  readonly score: Score
  /** The digest of the judging policy, which is SHA-256 of the pack's `score.json`: 64 lower-case hexadecimal digits. */
  readonly scoredBy: string
  readonly whole: PackWholeness
  /** In the order of their key ids. */
  readonly logs: readonly PackedLog[]
}

/** FORMAT.md, Packs. */
export const FORMAT = 'alvarium.PackVerdict/1'

/**
 * The verdict on a pack as bytes, as packs have them: canonical JSON (RFC 8785) in UTF-8.
 *
 * @example
 * ```ts
 * import { verdictBytes, verifyPack } from 'alvarium-sdk/packs'
 *
 * async function bytesOf(pack: Uint8Array, keyring: Keyring) {
 *   const { verdict } = await verifyPack(pack, { keyring })
 *   return verdictBytes(verdict) // the same in Node, in a browser, and in any other verifier
 * }
 * ```
 */
export function verdictBytes(verdict: PackVerdict): Uint8Array {
  return canonicalBytes({ format: FORMAT, ...verdict })
}
