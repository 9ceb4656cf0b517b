import * as v from 'valibot'
import { integer, strict } from '../../foundation/base/options/schema.js'
import type { Judged, Outcome } from '../../foundation/model/outcome.js'
import type { SourceOptions } from '../../foundation/model/payload.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { BundleGraph } from '../../verifying/score/bundle-graph.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { ScoringPolicy, ScoringPolicyFile } from '../../verifying/score/policy.js'
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
   * Trust policy from `readTrust`, or keys. Default: the trust policy in the pack. The outcome is then never
   * `'holds'`, unless you set `itself`, because anyone can make a pack with their own policy and keys.
   */
  readonly keyring?: VerifyOptions['keyring'] | undefined
  /** True to ask only whether the pack is consistent with itself, without a `keyring`. Default `false`. */
  readonly itself?: boolean | undefined
  /**
   * Scoring policy that scores payloads, as `readPolicy` of `alvarium-sdk/score` reads it, without
   * `layers: 'stack'`. Default: the policy in the pack.
   */
  readonly score?: string | ScoringPolicyFile | undefined
  /**
   * Public keys of witnesses, `name+id+key`. The outcome is `'holds'` only if a quorum of them cosigned the
   * checkpoints in the pack. Default: no witnesses.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Minimum number of witnesses that must have cosigned a checkpoint. Default: more than half. */
  readonly quorum?: number | undefined
  /**
   * Time at which you received the pack. Your trust policy takes it as the time of receipt of every message.
   * Default: no time of receipt, so that only times by the signers' clocks count.
   */
  readonly receivedAt?: Date | number | undefined
  /** Worker pool that verifies messages on all cores. */
  readonly pool?: WorkerPool | undefined
  /**
   * Maximum length of a pack in bytes, 1 to 4,294,967,296. A longer pack is refused as soon as the limit is
   * reached. Default `1_073_741_824`.
   */
  readonly maxBytes?: number | undefined
  /** Maximum number of `statements` to keep, 0 to 10,000,000. Default `1_000`. */
  readonly maxStatements?: number | undefined
}

/** Valibot schema of {@link VerifyPackOptions}. The guide's page of limits is generated from it. */
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

/** Verdict on a pack, with the facts that decided it. */
export interface VerifiedPack extends Judged {
  /**
   * Outcome by the rules in FORMAT.md, Packs:
   *
   * - `'holds'`: each line verifies by your `keyring` (with `itself`, by the pack's policy), and nothing is known
   *   to be missing. For a pack about a log, a signer or a set, evidence shows that nothing is missing.
   * - `'does not hold'`: something is altered, forbidden or missing, a log forked, or the verdict in the pack
   *   differs from the one that its messages give.
   * - `'cannot tell'`: neither, and `needs` says the next step.
   */
  readonly outcome: Outcome
  /** Owner of the trust policy that was used: the reader, or the pack's author. */
  readonly trustedBy: 'reader' | 'pack'
  /** Owner of the scoring policy that was used: the reader, or the pack's author. */
  readonly scoredBy: 'reader' | 'pack'
  /** Findings as numbers and words. The same policies give the same bytes everywhere. */
  readonly verdict: PackVerdict
  /** True if the verdict that the pack's author stored is the same as `verdict`, byte for byte. */
  readonly matchesStoredVerdict: boolean
  /** Manifest of the pack, written by the pack's author. */
  readonly manifest: PackManifest
  /** Id of the pack: SHA-256 of its manifest, 64 lower-case hexadecimal digits. It covers all contents. */
  readonly id: string
  /** First 1,000 ranges of absent messages that checkpoints list, with positions and times. */
  readonly missing: readonly Absence[]
  /** Signers of the statements in the pack, sorted by name. */
  readonly signers: readonly PackSigner[]
  /** First `maxStatements` statements: verified bundles, and verified annotations of other SDKs. */
  readonly statements: readonly PackStatement[]
  /** First 1,000 lines that do not verify. */
  readonly faults: readonly PackFault[]
  /**
   * Verdict on whether the reader's witnesses have seen the logs in the pack, and the time by which a quorum had
   * seen all messages of these logs. Undefined without the option `witnesses`.
   */
  readonly witnessed?: SeenRuns | undefined
  /**
   * Graph of the statements about payloads and their ancestry. `scorePayload` of `alvarium-sdk/score` explains
   * scores with it.
   */
  readonly fabric: BundleGraph
  /**
   * Payload that the pack is about. For a pack about another subject: the 10 payloads with the lowest scores,
   * ascending. These scores ignore ancestors.
   */
  readonly lowest: readonly PayloadName[]
  /**
   * Scoring policy by which the payloads were scored. For the reasons of a score, pass it to `scorePayload` with an
   * input from `fabric`.
   */
  readonly policy: ScoringPolicy
}
