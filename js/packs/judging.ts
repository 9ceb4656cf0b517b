import { type AlvariumError, expected, isVerdict, malformed } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import { readIfClassic } from '../classic/read-message.js'
import { verifyRead } from '../classic/verify-classic.js'
import { verifyReceivedCheckpoint } from '../completeness/verify-checkpoint.js'
import type { JudgingPolicy } from '../judge/policy.js'
import type { Keyring } from '../keys/keyring.js'
import {
  closeTrusted,
  isTrustPolicy,
  type LeaseBook,
  openTrusted,
  type Trusted,
  type Trusting,
  type TrustPolicy,
} from '../keys/trust-policy.js'
import type { WorkerPool } from '../model/worker-pool.js'
import { verifySet } from '../sets/verify-set.js'
import { type Verification, verifyReceived } from '../verify/messages.js'
import { type VerifiedBundle, withTrusted } from '../verify/options.js'
import { PackedLogs } from './logs.js'
import { LINES, type LineKind } from './parts.js'
import { readProofLine } from './proof-line.js'
import { PackScores } from './scoring.js'
import { NOTHING, PackedSets } from './sealed.js'
import type { PackSubject } from './subject.js'
import type { PackTally, PackVerdict, PackWholeness } from './verdict.js'

/** Whom to trust, and how to score. */
export interface JudgingOptions {
  readonly keyring: Trusted
  readonly score: JudgingPolicy
  readonly pool?: WorkerPool | undefined
  /** In milliseconds since 1970. */
  readonly receivedAt?: number | undefined
}

/** A line that does not verify, and why. */
export interface PackFault {
  /** The part that has it: `messages/00000.ndjson`. */
  readonly part: string
  /** Which line of the part, from 1. */
  readonly line: number
  readonly error: AlvariumError
}

/** More are counted, and not kept. */
const MOST_FAULTS = 1_000

/** What is signed is longer. To find that out of half a billion lines of two bytes, one by one, takes hours. */
const SHORTEST_LINE = 32
const TOO_SHORT = malformed('line', `at least ${SHORTEST_LINE} bytes`, 'fewer')

const isWhole = ({ length }: Uint8Array) => length >= SHORTEST_LINE

/** Verifies what is in a pack, in its order, and says what it shows: for who makes one, and for who reads it. */
export class PackJudge {
  readonly #options: JudgingOptions
  readonly #trusting: Trusting
  readonly #keyring: Keyring | TrustPolicy
  readonly #leases: LeaseBook | undefined
  readonly #logs = new PackedLogs()
  readonly #sets = new PackedSets()
  readonly #tallies = Object.fromEntries(LINES.map((kind) => [kind, emptyTally()])) as Record<
    LineKind,
    MutableTally
  >
  readonly scores: PackScores
  readonly faults: PackFault[] = []

  private constructor(options: JudgingOptions, trusting: Trusting) {
    this.#options = options
    this.#trusting = trusting
    this.#keyring = isTrustPolicy(options.keyring) ? options.keyring : trusting.keyring
    this.#leases = trusting.leased?.newBook()
    this.scores = new PackScores(options.score)
  }

  /** @throws AlvariumError `KEY_INVALID` */
  static async open(options: JudgingOptions): Promise<PackJudge> {
    return new PackJudge(options, await openTrusted(options.keyring))
  }

  /** Gives the core's memory back. */
  close(): void {
    this.#leases?.close()
    closeTrusted(this.#options.keyring, this.#trusting)
  }

  /**
   * Verifies lines of a part. The next ones may only be given when these have been judged.
   *
   * @param first - which line of the part is the first of them, from 1
   * @returns the bundles in them
   */
  async judge(
    kind: LineKind,
    part: string,
    lines: readonly Uint8Array[],
    first = 1,
  ): Promise<readonly VerifiedBundle[]> {
    const bundles: VerifiedBundle[] = []
    const whole = lines.filter(isWhole)
    const outcomes =
      kind === 'messages' ? await this.#messages(whole, bundles) : await this.#eachOf(kind, whole)
    let next = 0
    for (const [at, line] of lines.entries()) {
      this.#count(kind, isWhole(line) ? outcomes[next++] : TOO_SHORT, { part, line: first + at })
    }
    return bundles
  }

  #count(kind: LineKind, error: AlvariumError | undefined, place: Omit<PackFault, 'error'>): void {
    const tally = this.#tallies[kind]
    if (!error) tally.verified++
    else if (error.code === 'SIGNER_UNKNOWN') tally.unknown++
    else tally.refused++
    if (error && this.faults.length < MOST_FAULTS) this.faults.push({ ...place, error })
  }

  async #eachOf(kind: Exclude<LineKind, 'messages'>, lines: readonly Uint8Array[]) {
    const outcomes: (AlvariumError | undefined)[] = []
    for (const line of lines) {
      await verifyTurns.takeLong()
      outcomes.push(await faultOf(() => this.#beside(kind, line)))
    }
    return outcomes
  }

  async #beside(kind: Exclude<LineKind, 'messages'>, line: Uint8Array): Promise<void> {
    const trust = { keyring: this.#keyring, receivedAt: this.#options.receivedAt }
    if (kind === 'leases') await this.#lease(line)
    else if (kind === 'sets') this.#sets.add(await verifySet(line, trust))
    else if (kind === 'proofs') this.#sets.addProof(await readProofLine(line))
    else {
      const checkpoint = await verifyReceivedCheckpoint(line, { ...trust, leases: this.#book })
      this.#logs.addCheckpoint(checkpoint)
    }
  }

  /** Without any, nobody has to look into them. */
  get #book(): LeaseBook | undefined {
    return this.#leases?.size ? this.#leases : undefined
  }

  async #lease(lease: Uint8Array): Promise<void> {
    const book = this.#leases
    await withTrusted({ keyring: this.#keyring }, async ({ leased }) => {
      if (!leased || !book)
        throw expected('SIGNER_UNKNOWN', 'lease', 'a trust policy that lets its signer give it', 'keys')
      await leased.keep(lease, book, this.#options.receivedAt)
    })
  }

  async #messages(lines: readonly Uint8Array[], bundles: VerifiedBundle[]) {
    const { pool, receivedAt } = this.#options
    const leases = this.#book
    const checkpoints = leases && this.#logs.checkpoints
    const options = { keyring: this.#keyring, pool, leases, checkpoints }
    const verified = await verifyReceived(lines, options, () => receivedAt)
    const outcomes: (AlvariumError | undefined)[] = []
    for (const [at, one] of verified.entries()) {
      await verifyTurns.take()
      if (one.status === 'fulfilled') for (const bundle of one.value) bundles.push(bundle)
      outcomes.push(await this.#take(lines[at] as Uint8Array, one))
    }
    return outcomes
  }

  async #take(message: Uint8Array, outcome: Verification): Promise<AlvariumError | undefined> {
    if (outcome.status === 'rejected') return this.#classic(message, outcome.reason)
    this.#bundles(message, outcome.value)
    return undefined
  }

  #bundles(message: Uint8Array, bundles: readonly VerifiedBundle[]): void {
    this.#logs.addMessage(message, bundles)
    for (const bundle of bundles) {
      this.scores.add(bundle)
      this.#sets.addBundle(bundle)
    }
  }

  /** Of the other SDKs, each annotation of which is signed on its own: one that is bad is what is said of the message. */
  async #classic(message: Uint8Array, fault: AlvariumError): Promise<AlvariumError | undefined> {
    if (fault.code !== 'MESSAGE_MALFORMED') return fault
    let bad: AlvariumError | undefined
    const error = await faultOf(async () => {
      const read = readIfClassic(message)
      if (!read) throw fault
      const { receivedAt } = this.#options
      const classic = await verifyRead(read, this.#trusting, { receivedAt, leases: this.#book })
      this.scores.addClassic(classic)
      bad = classic.annotations.find((one) => one.status === 'rejected')?.reason
    })
    return error ?? bad
  }

  /** What all of it shows. */
  async verdict(about: PackSubject): Promise<PackVerdict> {
    for (const [set, keys] of this.#sets.listed()) this.scores.fabric.addMembers(set, keys)
    const { payloads, score } = await this.scores.scored(about)
    return {
      about,
      lines: this.#tallies,
      bundles: this.scores.bundles,
      annotations: this.scores.annotations,
      payloads,
      score,
      scoredBy: this.scores.policy.digest,
      whole: await this.#wholeness(about),
      logs: await this.#logs.logs(),
    }
  }

  async #wholeness(about: PackSubject): Promise<PackWholeness> {
    if ('log' in about) return this.#logs.ofRange(about.log)
    if ('payload' in about) return this.#sets.ofPayload(about.payload)
    if ('query' in about) return NOTHING
    return this.#sets.ofSet(about.set)
  }
}

type MutableTally = { -readonly [Name in keyof PackTally]: number }

function emptyTally(): MutableTally {
  return { verified: 0, refused: 0, unknown: 0 }
}

/** Why it did not go well. What is wrong with us says nothing of the line. */
async function faultOf(act: () => Promise<void>): Promise<AlvariumError | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    if (isVerdict(error)) return error
    throw error
  }
}
