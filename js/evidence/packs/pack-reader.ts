import { malformed } from '../../foundation/base/errors.js'
import { receivedMs, type Trusted } from '../../signing/keys/trust-policy.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { JudgingPolicy } from '../../verifying/score/policy.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import type { Trust } from '../trust/opened.js'
import type { ReadQuorum } from '../witness/options.js'
import { comparedClaim } from './claims.js'
import { PackJudge } from './judging.js'
import { lineGroupsIn } from './lines.js'
import { type PackManifest, readManifest } from './manifest.js'
import { outcomeOf } from './outcome.js'
import { kindOf, type LineKind, MANIFEST, SCORE, TRUST, VERDICT } from './parts.js'
import { scoreIn, trustIn } from './policies.js'
import type { ReadPart } from './reading.js'
import { sayingOf } from './saying.js'
import { type PackScores, readPackPolicy } from './scoring.js'
import type { VerifiedPack, VerifyPackOptions } from './verified-pack.js'
import type { Whose } from './whose.js'
import type { PackPart } from './writing.js'

type ReadOptions = VerifyPackOptions & {
  readonly maxStatements: number
  readonly reader?: ReadQuorum | undefined
}

/** Reads the parts of a pack in their order, and returns the findings at the end. */
export class PackReader {
  readonly #options: ReadOptions
  readonly #parts: PackPart[] = []
  /** Score policy of the reader, or else of the pack. */
  #score: JudgingPolicy | undefined
  #trust: Trust | undefined
  #judge: PackJudge | undefined
  #claimed: Uint8Array | undefined
  #manifest: PackManifest | undefined
  #id = ''

  constructor(options: ReadOptions) {
    this.#options = options
    if (options.score !== undefined) this.#score = readPackPolicy(options.score)
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
    if (name === SCORE) await this.#takeScore(content)
    else if (name === TRUST) this.#judge = await this.#opened(content)
    else if (name === VERDICT) this.#claimed = content
    else this.#manifest = await readManifest(content, this.#parts)
  }

  async #takeScore(content: Uint8Array): Promise<void> {
    const score = await scoreIn(content)
    this.#score ??= score
  }

  async #opened(policy: Uint8Array): Promise<PackJudge> {
    const { pool, maxStatements, reader } = this.#options
    const receivedAt = receivedMs(this.#options.receivedAt)
    // The score policy stands before the trust policy in a pack.
    const score = this.#score as JudgingPolicy
    const keyring = await this.#trusted(policy)
    const isOwnPolicy = this.#options.keyring !== undefined
    return PackJudge.open({ keyring, score, pool, receivedAt, isOwnPolicy, maxStatements, reader })
  }

  /** Returns the reader's keys or trust policy, or else the policy in the pack. */
  async #trusted(policy: Uint8Array): Promise<Trusted> {
    const { keyring } = this.#options
    if (keyring) return keyring
    this.#trust = await trustIn(policy)
    return this.#trust
  }

  async end(): Promise<VerifiedPack> {
    const [manifest, claimed, judge] = [this.#manifest, this.#claimed, this.#judge]
    if (!manifest || !claimed || !judge) throw malformed('pack', `${MANIFEST} as its last part`, 'none')
    const { keyring, score, itself = false } = this.#options
    const [trustedBy, scoredBy] = [whoseOf(keyring), whoseOf(score)]
    const { verdict, found, absences, witnessed } = await judge.findings(manifest.about)
    const { faults, scores, statements } = judge
    const { policy, fabric } = scores
    const wholeByAnybody = () => judge.wholeByAnybody(manifest.about)
    const claim = await comparedClaim(claimed, verdict, { trustedBy, scoredBy, policy, wholeByAnybody })
    const judged = { verdict, found, claim, trustedBy, isItself: itself, witnessed }
    const { outcome, needs } = outcomeOf(judged)
    const nameOf = (keyId: string) => judge.nameOf(keyId)
    return {
      outcome,
      says: sayingOf({ ...judged, outcome, scoredBy, nameOf }),
      ...(needs !== undefined && { needs }),
      ...{ trustedBy, scoredBy, verdict, isClaimed: claim.differences.length === 0, manifest, id: this.#id },
      missing: absences,
      ...(witnessed && { witnessed }),
      signers: statements.signers,
      statements: statements.statements,
      ...{ faults, fabric, lowest: lowestOf(manifest, scores), policy },
    }
  }

  async close(): Promise<void> {
    this.#judge?.close()
    await this.#trust?.close()
  }
}

function whoseOf(own: unknown): Whose {
  return own ? 'reader' : 'pack'
}

function lowestOf({ about }: PackManifest, { worst }: PackScores): PayloadName[] {
  return 'payload' in about ? [about.payload] : worst.map(({ key, hash }) => ({ key, hash }))
}
