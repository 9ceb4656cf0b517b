import { AlvariumError } from '../../foundation/base/errors.js'
import { receivedMs, type Trusted } from '../../signing/keys/trust-policy.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { ScoringPolicy } from '../../verifying/score/policy.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import type { Trust } from '../trust/open-trust.js'
import type { ReadQuorum } from '../witness/options.js'
import { compareClaims } from './claims.js'
import { type PackManifest, readManifest } from './file/manifest.js'
import type { PackPart } from './file/pack-writer.js'
import { kindOf, type LineKind, lineGroupsIn, MANIFEST, SCORE, TRUST, VERDICT } from './file/parts.js'
import type { ReadPart } from './file/read-parts.js'
import { outcomeOf } from './outcome.js'
import { type PackScores, readPackPolicy } from './pack-scores.js'
import { PackVerifier } from './pack-verifier.js'
import { scoreIn, trustIn } from './policies.js'
import { sentenceOf } from './sentence.js'
import type { PolicyOwner } from './verdict.js'
import type { VerifiedPack, VerifyPackOptions } from './verified-pack.js'

type ReadOptions = VerifyPackOptions & {
  readonly maxStatements: number
  readonly reader?: ReadQuorum | undefined
}

/** Reads the parts of one pack. Pass the parts to `read` in the order in which the pack has them. */
export class PackReader {
  readonly #options: ReadOptions
  readonly #parts: PackPart[] = []
  /** Scoring policy of the reader, or of the pack if the reader has none. */
  #score: ScoringPolicy | undefined
  #trust: Trust | undefined
  #verifier: PackVerifier | undefined
  #claimed: Uint8Array | undefined
  #manifest: PackManifest | undefined
  #id = ''

  constructor(options: ReadOptions) {
    this.#options = options
    if (options.score !== undefined) this.#score = readPackPolicy(options.score)
  }

  async *read({ content, ...part }: ReadPart): AsyncGenerator<readonly VerifiedBundle[], void> {
    const { name } = part
    const kind = kindOf(name)
    if (kind) yield* this.#readLines(kind, name, content)
    else await this.#readJson(name, content)
    if (name === MANIFEST) this.#id = part.sha256
    else this.#parts.push(part)
  }

  async *#readLines(
    kind: LineKind,
    name: string,
    content: Uint8Array,
  ): AsyncGenerator<readonly VerifiedBundle[], void> {
    for (const { lines, first } of lineGroupsIn(name, content))
      yield (await this.#verifier?.verify(kind, name, lines, first)) ?? []
  }

  async #readJson(name: string, content: Uint8Array): Promise<void> {
    if (name === SCORE) await this.#readScore(content)
    else if (name === TRUST) this.#verifier = await this.#openVerifier(content)
    else if (name === VERDICT) this.#claimed = content
    else this.#manifest = await readManifest(content, this.#parts)
  }

  async #readScore(content: Uint8Array): Promise<void> {
    const score = await scoreIn(content)
    this.#score ??= score
  }

  async #openVerifier(policy: Uint8Array): Promise<PackVerifier> {
    const { pool, maxStatements, reader } = this.#options
    const receivedAt = receivedMs(this.#options.receivedAt)
    // The scoring policy is known here, because it precedes the trust policy in a pack.
    const score = this.#score as ScoringPolicy
    const keyring = await this.#trusted(policy)
    const isOwnPolicy = this.#options.keyring !== undefined
    return PackVerifier.open({ keyring, score, pool, receivedAt, isOwnPolicy, maxStatements, reader })
  }

  async #trusted(policy: Uint8Array): Promise<Trusted> {
    const { keyring } = this.#options
    if (keyring) return keyring
    this.#trust = await trustIn(policy)
    return this.#trust
  }

  async end(): Promise<VerifiedPack> {
    const [manifest, claimed, verifier] = [this.#manifest, this.#claimed, this.#verifier]
    if (!manifest || !claimed || !verifier)
      throw new AlvariumError('MESSAGE_MALFORMED', `pack: needs ${MANIFEST} as its last part`)
    const { keyring, score, itself = false } = this.#options
    const [trustedBy, scoredBy] = [ownerOf(keyring), ownerOf(score)]
    const { verdict, found, missing, witnessed } = await verifier.findings(manifest.about)
    const { nameOf, scores, statements, tallies } = verifier
    const { policy, fabric } = scores
    const wholeByAnybody = () => verifier.wholenessIfAllMayConfirm(manifest.about)
    const claim = await compareClaims(claimed, verdict, { trustedBy, scoredBy, policy, wholeByAnybody })
    const facts = { verdict, found, claim, trustedBy, checksConsistencyOnly: itself, witnessed }
    const { outcome, needs } = outcomeOf(facts)
    return {
      outcome,
      says: sentenceOf({ ...facts, outcome, scoredBy, nameOf }),
      ...(needs !== undefined && { needs }),
      trustedBy,
      scoredBy,
      verdict,
      matchesStoredVerdict: claim.differences.length === 0,
      manifest,
      id: this.#id,
      missing,
      ...(witnessed && { witnessed }),
      signers: statements.signers,
      statements: statements.statements,
      faults: tallies.faults,
      fabric,
      lowest: lowestOf(manifest, scores),
      policy,
    }
  }

  async close(): Promise<void> {
    this.#verifier?.close()
    await this.#trust?.close()
  }
}

function ownerOf(ownPolicy: unknown): PolicyOwner {
  return ownPolicy ? 'reader' : 'pack'
}

function lowestOf({ about }: PackManifest, { lowestScores }: PackScores): PayloadName[] {
  return 'payload' in about ? [about.payload] : lowestScores.map(({ key, hash }) => ({ key, hash }))
}
