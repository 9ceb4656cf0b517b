import { canonicalBytes } from '../../foundation/base/text/canonical.js'
import type { Score } from '../../verifying/score/verdict.js'
import type { LineKind } from './file/parts.js'
import type { PackSubject } from './subject.js'
import type { PackWholeness } from './wholeness/wholeness.js'

/** Counts of a pack's lines of one kind, such as messages, by outcome. */
export interface PackTally {
  /** Number of lines with a valid signature that the policy permits. */
  readonly verified: number
  /** Number of lines that were altered or that the policy does not permit. */
  readonly refused: number
  /** Number of lines by signers that are not in the policy. */
  readonly unknownSigner: number
}

/** Findings about the log of one signer, from the checkpoints in the pack. */
export interface PackedLog {
  /** Key id of the signer. */
  readonly signer: string
  /**
   * Verdict as in `SignerReport` of `alvarium-sdk/completeness`. In a pack, an absent message that a checkpoint
   * lists makes a log `'incomplete'`, even if the signer's stream refused the message.
   */
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  /** Number of missing messages: listed ones, including `refused` and `undecided`, and ones in gaps. */
  readonly missing: number
  /** Number of absent messages that the signer's stream refused, according to the signer. */
  readonly refused: number
  /**
   * Number of absent messages that the stream had not accepted, and whose fate no checkpoint in the pack
   * decides.
   */
  readonly undecided: number
  /** Number of messages in the pack that no log lists, although all logs of their time are known. */
  readonly unlisted: number
  /** Number of log sizes at which the signer's logs forked. */
  readonly forks: number
}

/** Verdict on a pack. The same pack, trust policy and scoring policy give every reader the same bytes. */
export interface PackVerdict {
  /** Subject of the pack, as in the manifest. */
  readonly about: PackSubject
  readonly lines: Readonly<Record<LineKind, PackTally>>
  /** Number of different bundles. */
  readonly bundles: number
  /** Numbers of annotations in bundles and in verified messages of other SDKs. */
  readonly annotations: { readonly satisfied: number; readonly notSatisfied: number }
  /** Number of payloads that the statements in the pack are about. */
  readonly payloads: number
  /**
   * Score of the payload that the pack is about, as `scorePayload` of `alvarium-sdk/score` returns it: from 0 to 1,
   * rounded down, or `unknown`. For any other subject, the lowest score among the payloads in the pack, each scored
   * without its ancestors; 0 if there are no payloads.
   */
  readonly score: Score
  /**
   * Digest of the scoring policy: SHA-256 of its JSON in the spelling of `score.json`, 64 lower-case
   * hexadecimal digits.
   */
  readonly scoredBy: string
  readonly whole: PackWholeness
  /** Findings about logs, sorted by the signers' key ids. */
  readonly logs: readonly PackedLog[]
}

/** Format of a stored verdict (FORMAT.md, Packs). */
export const FORMAT = 'alvarium.PackVerdict/1'

/**
 * Returns the bytes of a verdict as a pack stores them: canonical JSON (RFC 8785) in UTF-8.
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

export type PolicyOwner = 'reader' | 'pack'
