import * as v from 'valibot'
import { integer, strict } from '../../foundation/base/options/schema.js'
import type { Judged, Outcome } from '../../foundation/model/outcome.js'
import type { SourceOptions } from '../../foundation/model/payload.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { BundleGraph } from '../../verifying/score/bundle-graph.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { JudgingPolicy, JudgingPolicyFile } from '../../verifying/score/policy.js'
import type { VerifyOptions } from '../../verifying/verify/options.js'
import type { Absence } from '../completeness/absences.js'
import type { SeenRuns } from '../completeness/report.js'
import { quorumMembers, type WitnessQuorum } from '../witness/options.js'
import type { PackManifest } from './file/manifest.js'
import type { PackSigner, PackStatement } from './pack-statements.js'
import type { PackFault } from './tallies.js'
import type { PackVerdict } from './verdict.js'

/** Policies, limits and settings for verifying a pack. */
export interface VerifyPackOptions extends SourceOptions {
  /**
   * Trust policy, as `readTrust` reads it, or keys. Default: the trust policy in the pack. Anyone can make a pack with a policy and keys
   * of their own, so without this option the outcome is never `'holds'`, unless you set `itself`.
   */
  readonly keyring?: VerifyOptions['keyring'] | undefined
  /** True to ask, without a `keyring`, only whether the pack is consistent with itself. Default `false`. */
  readonly itself?: boolean | undefined
  /**
   * Judging policy that scores payloads, as `readPolicy` of `alvarium-sdk/judge` reads it, without `layers: 'stack'`. Default: the policy
   * in the pack.
   */
  readonly score?: string | JudgingPolicyFile | undefined
  /**
   * Public keys of witnesses, `name+id+key`. A pack then holds only if a quorum of them has seen its checkpoints, by the lines in their
   * notes. Default: no witnesses.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses that are enough. Default: more than half. */
  readonly quorum?: number | undefined
  /**
   * Time at which you received the pack, for your trust policy: nothing shows when others received the messages. Default: the signers'
   * clocks count.
   */
  readonly receivedAt?: Date | number | undefined
  /** Worker pool that verifies the messages, with all cores. */
  readonly pool?: WorkerPool | undefined
  /** Maximum bytes of a pack, 1 to 4,294,967,296. A longer pack is refused once so many bytes were read. Default `1_073_741_824`. */
  readonly maxBytes?: number | undefined
  /** Maximum number of `statements` to keep, 0 to 10,000,000. Default `1_000`. */
  readonly maxStatements?: number | undefined
}

/** Schema of the options, which the page of limits shows. */
export const schema = strict({
  keyring: v.optional(v.unknown()),
  score: v.optional(v.unknown()),
  receivedAt: v.optional(v.unknown()),
  pool: v.optional(v.unknown()),
  maxBytes: integer(1, 2 ** 32, 1_073_741_824),
  maxStatements: integer(0, 10_000_000, 1_000),
  itself: v.optional(v.boolean('true or false'), false),
  ...quorumMembers,
  signal: v.optional(v.unknown()),
  onProgress: v.optional(v.unknown()),
})

/** Verdict on a pack, with the facts that it rests on. */
export interface VerifiedPack extends Judged {
  /**
   * Outcome by the rules in FORMAT.md, Packs:
   *
   * - `'holds'`: each line verifies by the reader's own `keyring`, and nothing is known to be missing. A pack about a log, a signer or a
   *   set is shown to be whole.
   * - `'does not hold'`: something is altered, forbidden or missing, a log forked, or the verdict in the pack differs from the one that its
   *   messages give.
   * - `'cannot tell'`: neither, and `needs` says the next step.
   */
  readonly outcome: Outcome
  /** Owner of the trust policy: the reader, or the pack's author. */
  readonly trustedBy: 'reader' | 'pack'
  /** Owner of the score policy. */
  readonly scoredBy: 'reader' | 'pack'
  /** Findings as numbers and words. The same policies give the same bytes everywhere. */
  readonly verdict: PackVerdict
  /** True if the verdict in the pack is the same, byte for byte. */
  readonly isClaimed: boolean
  /** Manifest of the pack: its author's description. */
  readonly manifest: PackManifest
  /** Id of the pack: SHA-256 of the manifest, 64 lower-case hexadecimal digits. It covers all contents. */
  readonly id: string
  /** Listed messages that are absent, with their positions and times: the first 1,000 ranges. */
  readonly missing: readonly Absence[]
  /** Signers of the statements in the pack, in the order of their names. */
  readonly signers: readonly PackSigner[]
  /** Each verified bundle, and each verified annotation of another SDK: the first `maxStatements`. */
  readonly statements: readonly PackStatement[]
  /** Lines that do not verify: the first 1,000. */
  readonly faults: readonly PackFault[]
  /**
   * Verdict of the reader's witnesses on the logs in the pack, and the time since which these are complete. Set with the option
   * `witnesses`.
   */
  readonly witnessed?: SeenRuns | undefined
  /** Statements about payloads, and their ancestry. `judge` of `alvarium-sdk/judge` explains the scores by it. */
  readonly fabric: BundleGraph
  /** Payload that the pack is about; otherwise the 10 payloads with the lowest scores by the statements about themselves, ascending. */
  readonly lowest: readonly PayloadName[]
  /** Judging policy of the scores, for `judge`. */
  readonly policy: JudgingPolicy
}
