import * as v from 'valibot'
import { isSame } from '../base/bytes/same.js'
import { isBytes, malformed } from '../base/errors.js'
import { integer, readOptions, strict } from '../base/options/schema.js'
import type { PayloadName } from '../judge/confidence.js'
import type { Fabric } from '../judge/fabric.js'
import type { JudgingPolicy, JudgingPolicyFile } from '../judge/policy.js'
import { receivedMs } from '../keys/trust-policy.js'
import type { PayloadSource, SourceOptions } from '../model/payload.js'
import type { WorkerPool } from '../model/worker-pool.js'
import type { Trust } from '../trust/trust.js'
import type { VerifiedBundle, VerifyOptions } from '../verify/options.js'
import { type PackFault, PackJudge } from './judging.js'
import { lineGroupsIn } from './lines.js'
import { type PackManifest, readManifest } from './manifest.js'
import { kindOf, type LineKind, MANIFEST, SCORE, TRUST, VERDICT } from './parts.js'
import { scoreIn, trustIn } from './policies.js'
import { partsOf, type ReadPart } from './reading.js'
import { sayingOf, type Whose } from './saying.js'
import { type PackScores, readPackPolicy } from './scoring.js'
import { type PackVerdict, verdictBytes } from './verdict.js'
import type { PackPart } from './writing.js'
import { LONGEST_PACK } from './zip.js'

/** Whom to trust, and how to read. */
export interface VerifyPackOptions extends SourceOptions {
  /**
   * Whom you trust: a trust policy, as `readTrust` reads it, or keys. Default: whom the author of the pack trusts. Anybody can make a pack
   * with a policy and keys of their own.
   */
  readonly keyring?: VerifyOptions['keyring'] | undefined
  /**
   * How you score payloads: a judging policy, as `readPolicy` of `alvarium-sdk/judge` reads it, without `layers: 'stack'`. Default: as the author
   * of the pack does.
   */
  readonly score?: string | JudgingPolicyFile | undefined
  /** When you got the pack, for your trust policy: nothing shows when messages came to somebody else. Default: the signers' clocks count. */
  readonly receivedAt?: Date | number | undefined
  /** Verifies in the pool's workers, with all cores. */
  readonly pool?: WorkerPool | undefined
  /** Most bytes of a pack, 1 to 4,294,967,296: what is longer is refused once so many were read. Default `1_073_741_824`. */
  readonly maxBytes?: number | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  keyring: v.optional(v.unknown()),
  score: v.optional(v.unknown()),
  receivedAt: v.optional(v.unknown()),
  pool: v.optional(v.unknown()),
  maxBytes: integer(1, 2 ** 32, 1_073_741_824),
  signal: v.optional(v.unknown()),
  onProgress: v.optional(v.unknown()),
})

/** What a pack shows. */
export interface VerifiedPack {
  /** In one sentence, for people. */
  readonly says: string
  /**
   * Whether each line verifies, nothing is known to be missing, and the verdict in the pack is the one that was reached here. By a score
   * policy of your own, it may be another.
   */
  readonly isGood: boolean
  /** By whose trust policy: the reader's own, or the one in the pack. */
  readonly trustedBy: 'reader' | 'pack'
  /** By whose score policy. */
  readonly scoredBy: 'reader' | 'pack'
  /** What was found here. */
  readonly verdict: PackVerdict
  /** Whether the pack has the same verdict, byte for byte. */
  readonly isClaimed: boolean
  /** What the pack says of itself. */
  readonly manifest: PackManifest
  /** SHA-256 of the manifest, 64 lower-case hexadecimal digits: names everything in the pack. */
  readonly id: string
  /** What does not verify: the first 1,000. */
  readonly faults: readonly PackFault[]
  /** What was said about payloads, and what they were made from: `judge` of `alvarium-sdk/judge` says why they score as they do. */
  readonly fabric: Fabric
  /**
   * The payload that the pack is about; otherwise the 10 that score lowest by what was said of themselves, the lowest first.
   */
  readonly lowest: readonly PayloadName[]
  /** What the score was made by, for `judge`. */
  readonly policy: JudgingPolicy
}

/**
 * Verifies an evidence pack: reads all of it, verifies every message, lease, checkpoint, set and proof again, and compares what that gives
 * with the verdict in the pack. It is read once, from its beginning to its end, in memory for about 20 MiB of it, and for 1 kB for each bundle.
 *
 * @param pack - its bytes, or a stream, a file or a `Blob` of them
 * @throws AlvariumError `MESSAGE_MALFORMED` for what is not a pack, or was altered since it was made; `CONFIG_INVALID` naming the option;
 * `PAYLOAD_INVALID` for a source that cannot be read; `KEY_INVALID`; the
 * signal's reason; and as `verifyMessages` for what is wrong with us
 *
 * @example
 * ```ts
 * import { makePack, verifyPack } from 'alvarium-sdk/packs'
 *
 * const trust = { signers: [{ name: 'gateway-1', keys: [keyText] }] }
 * const pack = makePack([message], { about: { query: 'the last hour' }, trust })
 * const { says, isGood, verdict } = await verifyPack(pack, { keyring }) // or a Blob, a stream, the bytes
 * console.log(says, isGood, verdict.score)
 * ```
 */
export async function verifyPack(
  pack: PayloadSource | Uint8Array,
  options: VerifyPackOptions = {},
): Promise<VerifiedPack> {
  const reading = groupsIn(pack, options, 'verifyPack')
  for (;;) {
    const { done, value } = await reading.next()
    if (done) return value
  }
}

/**
 * Verifies an evidence pack as {@link verifyPack} does, and gives its bundles as it goes: those that verify, also twice if they are in the pack
 * twice. That the pack was not altered is known at its end. So use what was made of the bundles when the generator has returned.
 *
 * @param pack - its bytes, or a stream, a file or a `Blob` of them
 * @returns each bundle; and at the end, what the pack shows
 * @throws as {@link verifyPack}
 *
 * @example
 * ```ts
 * import { readPack } from 'alvarium-sdk/packs'
 *
 * async function list(pack: Blob, keyring: Keyring) {
 *   for await (const { action, key } of readPack(pack, { keyring })) console.log(action, key)
 * }
 * ```
 */
export async function* readPack(
  pack: PayloadSource | Uint8Array,
  options: VerifyPackOptions = {},
): AsyncGenerator<VerifiedBundle, VerifiedPack> {
  const reading = groupsIn(pack, options, 'readPack')
  try {
    for (;;) {
      const { done, value } = await reading.next()
      if (done) return value
      yield* value
    }
  } finally {
    // Where nobody reads on, the source is cancelled.
    await reading.return(undefined as never)
  }
}

/** The bundles of a pack, those of some lines together. */
async function* groupsIn(
  pack: PayloadSource | Uint8Array,
  options: VerifyPackOptions,
  name: string,
): AsyncGenerator<readonly VerifiedBundle[], VerifiedPack> {
  const { maxBytes } = readOptions(schema, options, name)
  if (!isBytes(pack) && (typeof pack !== 'object' || pack === null)) {
    throw new TypeError('pack: expected a Uint8Array, a stream, or a Blob, got something else')
  }
  const reading = new ReadingPack(options)
  try {
    for await (const part of partsOf(pack, options, Math.min(maxBytes, LONGEST_PACK)))
      yield* reading.take(part)
    return await reading.end()
  } finally {
    await reading.close()
  }
}

/** A pack while it is read. */
class ReadingPack {
  readonly #options: VerifyPackOptions
  readonly #own: JudgingPolicy | undefined
  readonly #parts: PackPart[] = []
  #score: JudgingPolicy | undefined
  #trust: Trust | undefined
  #judge: PackJudge | undefined
  #claimed: Uint8Array | undefined
  #manifest: PackManifest | undefined
  #id = ''

  constructor(options: VerifyPackOptions) {
    this.#options = options
    this.#own = options.score === undefined ? undefined : readPackPolicy(options.score)
  }

  async *take({ content, ...part }: ReadPart): AsyncGenerator<readonly VerifiedBundle[], void> {
    const { name } = part
    const kind = kindOf(name)
    if (kind) yield* this.#takeLines(kind, name, content)
    else await this.#takeWhole(name, content)
    if (name === MANIFEST) this.#id = part.sha256
    else this.#parts.push(part)
  }

  async *#takeLines(
    kind: LineKind,
    name: string,
    content: Uint8Array,
  ): AsyncGenerator<readonly VerifiedBundle[], void> {
    for (const { lines, first } of lineGroupsIn(name, content))
      yield (await this.#judge?.judge(kind, name, lines, first)) ?? []
  }

  async #takeWhole(name: string, content: Uint8Array): Promise<void> {
    if (name === SCORE) this.#score = await scoreIn(content)
    else if (name === TRUST) this.#judge = await this.#opened(content)
    else if (name === VERDICT) this.#claimed = content
    else this.#manifest = await readManifest(content, this.#parts)
  }

  async #opened(policy: Uint8Array): Promise<PackJudge> {
    const { pool } = this.#options
    const score = this.#own ?? (this.#score as JudgingPolicy)
    const receivedAt = receivedMs(this.#options.receivedAt)
    this.#trust = this.#options.keyring ? undefined : await trustIn(policy)
    const keyring = this.#options.keyring ?? (this.#trust as Trust)
    return PackJudge.open({ keyring, score, pool, receivedAt })
  }

  async end(): Promise<VerifiedPack> {
    const [manifest, claimed, judge] = [this.#manifest, this.#claimed, this.#judge]
    if (!manifest || !claimed || !judge) throw malformed('pack', `${MANIFEST} as its last part`, 'none')
    const verdict = await judge.verdict(manifest.about)
    const isClaimed = isSame(claimed, verdictBytes(verdict))
    const { keyring, score } = this.#options
    const [trustedBy, scoredBy] = [keyring, score].map((own) => (own ? 'reader' : 'pack')) as [Whose, Whose]
    const { faults, scores } = judge
    const found = { trustedBy, scoredBy, verdict, isClaimed, manifest, id: this.#id, faults }
    return {
      says: sayingOf(found),
      isGood: isGood(found),
      ...found,
      lowest: lowestOf(manifest, scores),
      fabric: scores.fabric,
      policy: scores.policy,
    }
  }

  async close(): Promise<void> {
    this.#judge?.close()
    await this.#trust?.close()
  }
}

function lowestOf({ about }: PackManifest, { worst }: PackScores): PayloadName[] {
  return 'payload' in about ? [about.payload] : worst.map(({ key, hash }) => ({ key, hash }))
}

function isGood({
  verdict,
  isClaimed,
  scoredBy,
}: Pick<VerifiedPack, 'verdict' | 'isClaimed' | 'scoredBy'>): boolean {
  const { lines, whole, logs, bundles, annotations } = verdict
  const isVerified = Object.values(lines).every(({ refused, unknown }) => refused + unknown === 0)
  const isWhole = whole.missing === 0 && logs.every((log) => log.verdict !== 'incomplete')
  const isEmpty = bundles === 0 && annotations.satisfied + annotations.notSatisfied === 0
  return isVerified && isWhole && (isClaimed || scoredBy === 'reader') && !isEmpty
}
