import { type AlvariumError, malformed, needs, verdictIn } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import {
  closeTrusted,
  isTrustPolicy,
  type LeaseBook,
  type OpenTrust,
  openTrusted,
  type SignedBy,
  type Trusted,
  type TrustPolicy,
} from '../../signing/keys/trust-policy.js'
import { decidingError } from '../../verifying/classic/judged.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import { SearchMemory } from '../../verifying/classic/search-memory.js'
import { verifyRead } from '../../verifying/classic/verify-classic.js'
import type { ScoringPolicy } from '../../verifying/score/policy.js'
import { verifyReceived } from '../../verifying/verify/messages.js'
import { type VerifiedBundle, withTrusted } from '../../verifying/verify/options.js'
import {
  permitCheckpoint,
  readSignedCheckpoint,
  type SignedCheckpoint,
} from '../completeness/checkpoint/verify-checkpoint.js'
import { verifySet } from '../sets/verify-set.js'
import type { ReadQuorum } from '../witness/options.js'
import { readProofLine } from './file/packed-proof.js'
import type { LineKind } from './file/parts.js'
import { PackScores } from './pack-scores.js'
import { PackStatements } from './pack-statements.js'
import type { PackSubject } from './subject.js'
import { faultOf, type LinePlace, LineTallies } from './tallies.js'
import type { PackVerdict } from './verdict.js'
import { PackedLogs } from './wholeness/packed-logs.js'
import { PackedSets } from './wholeness/packed-sets.js'
import { notShown, type PackWholeness, type WholenessFinding } from './wholeness/wholeness.js'
import { type NameOf, quotation, shorten } from './words.js'

interface PackVerifierOptions {
  readonly keyring: Trusted
  readonly score: ScoringPolicy
  readonly pool?: WorkerPool | undefined
  /** Time at which the reader received the pack, in milliseconds since 1970. */
  readonly receivedAt?: number | undefined
  /** True if the caller supplied the trust policy, false if the pack did. */
  readonly isOwnPolicy: boolean
  readonly maxStatements: number
  /** Witnesses that the reader trusts. */
  readonly reader?: ReadQuorum | undefined
}

/** Maximum number of ranges of absent messages to return. All absent messages are counted. */
const MAX_ABSENCES = 1_000

/**
 * Capacity of the `LeaseBook`, for leases of trusted issuers and the messages in their logs. If a pack has
 * more, the book drops some, and the outcome may depend on the order of lines.
 */
const LEASE_CAPACITY = { leases: 10_000, logged: 5_000_000 }

/** Minimum length of a line in bytes (FORMAT.md, Packs). Refusing a shorter line unparsed is a hundred times faster. */
const MIN_LINE_BYTES = 64
const TOO_SHORT = malformed('line', `at least ${MIN_LINE_BYTES} bytes`, 'fewer')

const isLongEnough = ({ length }: Uint8Array) => length >= MIN_LINE_BYTES

/**
 * Maximum number of public keys to try for messages of the other SDKs, which do not name their key
 * (FORMAT.md, Packs). Each message raises the maximum by one.
 */
const MAX_TRIALS = 2048

/** Number of bundles of one message to process before yielding to the event loop. */
const STEP_BUNDLES = 64

/** Verifies the lines of a pack, one after another. Both making and reading a pack need this. */
export class PackVerifier {
  readonly #options: PackVerifierOptions
  readonly #trusting: OpenTrust
  readonly #keyring: Keyring | TrustPolicy
  readonly #leases: LeaseBook | undefined
  readonly #logs: PackedLogs
  readonly #sets = new PackedSets()
  readonly tallies = new LineTallies()
  readonly #names = new Map<string, string>()
  readonly #searches = new SearchMemory(MAX_TRIALS)
  readonly scores: PackScores
  readonly statements: PackStatements
  /** Checkpoints that were refused only because of their time. Later checkpoints may prove that they existed in time. */
  #late: { readonly signed: SignedCheckpoint; readonly place: LinePlace }[] = []
  /** Checkpoints with a valid signature, by line, so that the signature of a late one is not verified again. */
  readonly #signed = new WeakMap<Uint8Array, SignedCheckpoint>()

  private constructor(options: PackVerifierOptions, trusting: OpenTrust) {
    this.#options = options
    this.#logs = new PackedLogs(options.reader)
    this.#trusting = trusting
    this.#keyring = isTrustPolicy(options.keyring) ? options.keyring : trusting.keyring
    this.#leases = trusting.leased?.newBook(LEASE_CAPACITY)
    this.scores = new PackScores(options.score)
    this.statements = new PackStatements(options.maxStatements)
  }

  /** @throws AlvariumError `KEY_INVALID` */
  static async open(options: PackVerifierOptions): Promise<PackVerifier> {
    return new PackVerifier(options, await openTrusted(options.keyring))
  }

  /** Frees the memory that leases and keys use in the WebAssembly core. */
  close(): void {
    this.#leases?.close()
    closeTrusted(this.#options.keyring, this.#trusting)
  }

  /**
   * Verifies lines of a part, and returns their verified bundles. Await the result before the next call, because
   * later lines depend on earlier ones.
   *
   * @param first - number of the first line in the part, counted from 1
   */
  async verify(
    kind: LineKind,
    part: string,
    lines: readonly Uint8Array[],
    first = 1,
  ): Promise<readonly VerifiedBundle[]> {
    if (kind !== 'leases' && kind !== 'checkpoints') await this.#verifyLate()
    await verifyTurns.yieldIfDueLong()
    const bundles: VerifiedBundle[] = []
    const whole = lines.filter(isLongEnough)
    const outcomes =
      kind === 'messages' ? await this.#messages(whole, bundles) : await this.#eachOf(kind, whole)
    let next = 0
    for (const [at, line] of lines.entries()) {
      const error = isLongEnough(line) ? outcomes[next++] : TOO_SHORT
      const place = { part, line: first + at }
      const signed = this.#signed.get(line)
      if (signed && this.#mayBeLate(error)) this.#late.push({ signed, place })
      else this.tallies.add(kind, error, place)
    }
    return bundles
  }

  /**
   * Returns whether a lease, by its log size and root, could still prove that a refused checkpoint existed in
   * time.
   */
  #mayBeLate(error: AlvariumError | undefined): boolean {
    const isOfTime = error?.code === 'SIGNER_EXPIRED' || error?.code === 'SIGNER_REVOKED'
    return isOfTime && this.#leases?.hasLogs === true
  }

  /**
   * Verifies late checkpoints again after all other checkpoints, so that the order of lines does not matter.
   */
  async #verifyLate(): Promise<void> {
    const late = this.#late
    this.#late = []
    for (const { signed, place } of late) {
      await verifyTurns.yieldIfDueLong()
      this.tallies.add('checkpoints', await faultOf(this.#checkpoint(signed)), place)
    }
  }

  async #eachOf(kind: Exclude<LineKind, 'messages'>, lines: readonly Uint8Array[]) {
    const outcomes: (AlvariumError | undefined)[] = []
    for (const line of lines) {
      await verifyTurns.yieldIfDueLong()
      outcomes.push(await faultOf(this.#controlMessage(kind, line)))
    }
    return outcomes
  }

  async #controlMessage(kind: Exclude<LineKind, 'messages'>, line: Uint8Array): Promise<void> {
    const trust = { keyring: this.#keyring, receivedAt: this.#options.receivedAt }
    if (kind === 'leases') await this.#lease(line)
    else if (kind === 'proofs') this.#sets.addProof(await readProofLine(line))
    else if (kind === 'sets') this.#sets.add(this.#named(await verifySet(line, trust)))
    else {
      const signed = await readSignedCheckpoint(line, { ...trust, leases: this.#book })
      this.#signed.set(line, signed)
      await this.#checkpoint(signed)
    }
  }

  async #checkpoint(signed: SignedCheckpoint): Promise<void> {
    const { receivedAt } = this.#options
    const trust = { keyring: this.#keyring, receivedAt, leases: this.#book }
    this.#logs.addCheckpoint(this.#named(await permitCheckpoint(signed, trust)))
  }

  /** Remembers the name of the signer, and returns the statement. */
  #named<T extends { readonly signedBy?: SignedBy | undefined }>(statement: T): T {
    const { signedBy } = statement
    if (signedBy) this.#names.set(signedBy.id, signedBy.name)
    return statement
  }

  /** Leases for the lookup of signers; undefined if there are none, so that verifiers skip the lookup. */
  get #book(): LeaseBook | undefined {
    return this.#leases?.size ? this.#leases : undefined
  }

  async #lease(lease: Uint8Array): Promise<void> {
    const book = this.#leases
    await withTrusted({ keyring: this.#keyring }, async ({ leased }) => {
      if (!leased || !book)
        throw needs('lease', 'a trust policy that permits its signer to issue leases', 'SIGNER_UNKNOWN')
      await leased.addLease(lease, book, this.#options.receivedAt)
    })
  }

  async #messages(lines: readonly Uint8Array[], bundles: VerifiedBundle[]) {
    const { pool, receivedAt } = this.#options
    const { checkpoints } = this.#logs
    const options = { keyring: this.#keyring, pool, leases: this.#book, checkpoints }
    const verified = await verifyReceived(lines, options, () => receivedAt)
    const outcomes: (AlvariumError | undefined)[] = []
    for (const [at, one] of verified.entries()) {
      await verifyTurns.yieldIfDue()
      const message = lines[at] as Uint8Array
      if (one.status === 'fulfilled') await this.#bundles(message, one.value, bundles)
      outcomes.push(one.status === 'fulfilled' ? undefined : await this.#classic(message, one.reason))
    }
    return outcomes
  }

  async #bundles(
    message: Uint8Array,
    given: readonly VerifiedBundle[],
    all: VerifiedBundle[],
  ): Promise<void> {
    this.#logs.addMessage(message, given)
    for (const [at, bundle] of given.entries()) {
      if (at % STEP_BUNDLES === STEP_BUNDLES - 1) await verifyTurns.yieldIfDueLong()
      all.push(bundle)
      if (this.scores.add(bundle)) this.statements.addBundle(bundle)
      this.#sets.addBundle(bundle)
    }
  }

  /** Verifies a message of another SDK. Its annotations are signed separately, so the worst outcome decides. */
  async #classic(message: Uint8Array, fault: AlvariumError): Promise<AlvariumError | undefined> {
    if (fault.code !== 'MESSAGE_MALFORMED') return fault
    try {
      const read = readIfClassic(message)
      if (!read) return fault
      const { receivedAt } = this.#options
      const circumstances = { receivedAt, leases: this.#book, memory: this.#searches }
      const classic = await verifyRead(read, this.#trusting, circumstances)
      this.scores.addClassic(classic)
      this.statements.addClassic(classic)
      return decidingError(classic)
    } catch (error) {
      return verdictIn(error)
    }
  }

  /** Returns the findings about the whole pack. Call it after all lines were verified. */
  async findings(about: PackSubject) {
    await this.#verifyLate()
    for (const [set, keys] of this.#sets.wholeSets()) this.scores.fabric.addMembers(set, keys)
    const { payloads, score } = await this.scores.scoreOf(about)
    const found = await this.#wholeness(about, (keyId) => this.#trusting.judge?.mayConfirm(keyId) === true)
    const verdict: PackVerdict = {
      about,
      lines: this.tallies.counts,
      bundles: this.scores.bundles,
      annotations: { ...this.scores.annotations },
      payloads,
      score,
      scoredBy: this.scores.policy.digest,
      whole: found.whole,
      logs: await this.#logs.logs(),
    }
    const missing = await this.#logs.firstAbsences(MAX_ABSENCES)
    return { verdict, found, missing, witnessed: this.#logs.witnessed(about) }
  }

  /** Returns the wholeness that the pack would have if every trusted signer could confirm that nothing is missing. */
  async wholenessIfAllMayConfirm(about: PackSubject): Promise<PackWholeness> {
    return (await this.#wholeness(about, () => true)).whole
  }

  async #wholeness(about: PackSubject, mayConfirm: (keyId: string) => boolean): Promise<WholenessFinding> {
    const { nameOf } = this
    if ('log' in about) return this.#logs.ofRange(about.log, nameOf)
    if ('signer' in about) return this.#logs.ofSigner(about.signer, nameOf)
    if ('payload' in about) return this.#sets.ofPayload(about.payload, { nameOf, mayConfirm })
    return 'set' in about ? this.#sets.ofSet(about.set, nameOf) : notShown()
  }

  /** Returns a signer's name for a sentence. A name from the author's policy is quoted. */
  readonly nameOf: NameOf = (keyId) => {
    const name = this.#names.get(keyId)
    if (name === undefined) return `the key ${shorten(keyId)}`
    return this.#options.isOwnPolicy ? name : quotation(name)
  }
}
