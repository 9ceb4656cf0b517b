import { canonicalBytes } from '../../foundation/base/text/canonical.js'
import type { Score } from '../../verifying/score/verdict.js'
import type { LineKind } from './file/parts.js'
import type { PackSubject } from './subject.js'
import type { PackWholeness } from './wholeness/wholeness.js'

/** Counts of the lines of one kind by outcome. */
export interface PackTally {
  /** Number of lines that are genuine, and allowed by the policy. */
  readonly verified: number
  /** Number of lines that are altered, or not allowed. */
  readonly refused: number
  /** Number of lines of signers that are not in the policy. */
  readonly unknownSigner: number
}

/** Findings of the checkpoints in the pack about one signer. */
export interface PackedLog {
  /** Key id of the signer. */
  readonly signer: string
  /**
   * Verdict as in `SignerReport` of `alvarium-sdk/completeness`. In a pack, a log is `'incomplete'` too if a listed message that its stream
   * refused is absent.
   */
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  /** Number of listed messages that are absent, including refused and undecided ones. */
  readonly missing: number
  /** Number of absent messages that the signer's stream refused, as the signer states. */
  readonly refused: number
  /** Number of absent messages that the stream had not accepted at the last checkpoint in the pack. */
  readonly undecided: number
  /** Number of messages in the pack that are in no log. */
  readonly unlisted: number
  /** Number of sizes at which the signer's logs forked. */
  readonly forks: number
}

/** Verdict on a pack. Readers with the same pack, trust policy and score policy get the same bytes. */
export interface PackVerdict {
  /** Subject, as in the manifest. */
  readonly about: PackSubject
  readonly lines: Readonly<Record<LineKind, PackTally>>
  /** Number of different bundles. */
  readonly bundles: number
  /** Numbers of annotations: those of the bundles, and the verified ones of other SDKs. */
  readonly annotations: { readonly satisfied: number; readonly notSatisfied: number }
  /** Number of payloads with a statement. */
  readonly payloads: number
  /**
   * Score of the payload that the pack is about, as `judge` of `alvarium-sdk/judge` returns it: from 0 to 1, rounded down, or `unknown`.
   * For other subjects, the lowest score of all payloads, each by the statements about itself. 0 without any.
   */
  readonly score: Score
  /** Digest of the judging policy, which is the SHA-256 of the pack's `score.json`: 64 lower-case hexadecimal digits. */
  readonly scoredBy: string
  readonly whole: PackWholeness
  /** Findings about logs, in the order of their signers' key ids. */
  readonly logs: readonly PackedLog[]
}

/** Format of a stored verdict (FORMAT.md, Packs). */
export const FORMAT = 'alvarium.PackVerdict/1'

/**
 * Writes the verdict on a pack as bytes, as in the pack itself: canonical JSON (RFC 8785) in UTF-8.
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

/** Owner of a policy. */
export type PolicyOwner = 'reader' | 'pack'
