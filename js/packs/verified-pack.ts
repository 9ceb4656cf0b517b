import * as v from 'valibot'
import { integer, strict } from '../base/options/schema.js'
import type { Absence } from '../completeness/absences.js'
import type { SeenRuns } from '../completeness/report.js'
import type { Fabric } from '../judge/fabric.js'
import type { PayloadName } from '../judge/payload-name.js'
import type { JudgingPolicy, JudgingPolicyFile } from '../judge/policy.js'
import type { Judged, Outcome } from '../model/outcome.js'
import type { SourceOptions } from '../model/payload.js'
import type { WorkerPool } from '../model/worker-pool.js'
import type { VerifyOptions } from '../verify/options.js'
import { quorumMembers, type WitnessQuorum } from '../witness/options.js'
import type { PackManifest } from './manifest.js'
import type { PackSigner, PackStatement } from './statements.js'
import type { PackFault } from './tallies.js'
import type { PackVerdict } from './verdict.js'

/** Whom to trust, and how to read. */
export interface VerifyPackOptions extends SourceOptions {
  /**
   * Whom you trust: a trust policy, as `readTrust` reads it, or keys. Default: whom the author of the pack trusts. Anybody can make a pack
   * with a policy and keys of their own: without this, the outcome is never `'holds'`, unless you ask for `itself`.
   */
  readonly keyring?: VerifyOptions['keyring'] | undefined
  /** Asks, without a `keyring`, whether the pack is consistent with itself, and no more. Default `false`. */
  readonly itself?: boolean | undefined
  /**
   * How you score payloads: a judging policy, as `readPolicy` of `alvarium-sdk/judge` reads it, without `layers: 'stack'`. Default: as the author
   * of the pack does.
   */
  readonly score?: string | JudgingPolicyFile | undefined
  /**
   * Public keys of witnesses, `name+id+key`: a pack holds only if a quorum of them has seen the checkpoints in it, by the lines in their notes. Default: no witness is
   * asked for.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses that it takes. Default: more than half. */
  readonly quorum?: number | undefined
  /** When you got the pack, for your trust policy: nothing shows when messages came to somebody else. Default: the signers' clocks count. */
  readonly receivedAt?: Date | number | undefined
  /** Verifies in the pool's workers, with all cores. */
  readonly pool?: WorkerPool | undefined
  /** Most bytes of a pack, 1 to 4,294,967,296: what is longer is refused once so many were read. Default `1_073_741_824`. */
  readonly maxBytes?: number | undefined
  /** Most of `statements` to keep, 0 to 10,000,000. Default `1_000`. */
  readonly maxStatements?: number | undefined
}

/** The page of limits shows it. */
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

/** The verdict on a pack, with all that it rests on. */
export interface VerifiedPack extends Judged {
  /**
   * `'holds'`: each line verifies by the reader's own `keyring`, nothing is known to be missing, and a pack about a log, a signer or a set is
   * shown to be whole. `'does not hold'`: something is altered, forbidden or missing, a log forked, or the verdict in the
   * pack is not what its messages give. `'cannot tell'`: neither, and `needs` says the next step. FORMAT.md, Packs, has the rules.
   */
  readonly outcome: Outcome
  /** By whose trust policy: the reader's own, or the one in the pack. */
  readonly trustedBy: 'reader' | 'pack'
  /** By whose score policy. */
  readonly scoredBy: 'reader' | 'pack'
  /** The findings as numbers and words: the same bytes wherever they are made by the same policies. */
  readonly verdict: PackVerdict
  /** Whether the pack has the same verdict, byte for byte. */
  readonly isClaimed: boolean
  /** What the pack says of itself. */
  readonly manifest: PackManifest
  /** SHA-256 of the manifest, 64 lower-case hexadecimal digits: names everything in the pack. */
  readonly id: string
  /** Listed messages that are not here, with their positions and times: the first 1,000 ranges. */
  readonly missing: readonly Absence[]
  /** Signers of the statements in the pack, in the order of their names. */
  readonly signers: readonly PackSigner[]
  /** Each verified bundle, and each verified annotation of another SDK: the first `maxStatements`. */
  readonly statements: readonly PackStatement[]
  /** What does not verify: the first 1,000. */
  readonly faults: readonly PackFault[]
  /** Verdict of the reader's witnesses on the logs in the pack, and since when these are complete. There with `witnesses`. */
  readonly witnessed?: SeenRuns | undefined
  /** What was said about payloads, and what they were made from: `judge` of `alvarium-sdk/judge` says why they score as they do. */
  readonly fabric: Fabric
  /**
   * The payload that the pack is about; otherwise the 10 that score lowest by what was said of themselves, the lowest first.
   */
  readonly lowest: readonly PayloadName[]
  /** What the score was made by, for `judge`. */
  readonly policy: JudgingPolicy
}
