import { stat } from 'node:fs/promises'
import type { VerifiedCheckpoint } from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { makeReady } from '../../signing/keys/keyring-use.js'
import { leaseTrustOf } from '../../signing/keys/lease-options.js'
import { type LeaseBook, TRUST, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import { isCheckpoint, isLease, isSet } from '../../verifying/consume/control-messages.js'
import { invalid } from '../fault.js'
import { Unreadable } from '../input/files.js'
import { assertPolicy, type StoredOptions, type TrustedAt } from '../keys/trusted.js'
import type { Session } from '../session.js'
import { countOf } from '../terminal/words.js'
import { type FoundMessage, isReadable, type ReadableMessage } from './found.js'
import { messagesOf } from './read.js'
import { ReadProgress } from './read-progress.js'

/**
 * Limits of the leases (about 1 kB each) and of the messages in their logs (about 150 bytes each) that are kept in
 * memory. They are higher than those of a subscription, because an archive may contain more.
 */
const LEASE_BOOK_LIMITS = { leases: 1_000_000, logged: 5_000_000 }

export interface ControlOptions extends StoredOptions {
  readonly leases?: readonly string[]
  readonly checkpoints?: readonly string[]
}

interface ControlTrust extends TrustedAt {
  /** Leases, with which signers permit other keys; undefined for a keyring, which does not support leases. */
  readonly leases: LeaseBook | undefined
  /**
   * Checkpoints verified so far, if the policy has witnesses. A checkpoint that a quorum of the witnesses has
   * seen proves that its messages existed at that time.
   */
  readonly checkpoints: readonly VerifiedCheckpoint[]
}

interface SortedMessages {
  readonly messages: readonly FoundMessage[]
  readonly checkpoints: readonly ReadableMessage[]
}

/**
 * Reader of the leases, checkpoints and sets among bundles. Leases and checkpoints in files apply to all
 * messages. In standard input and topics, they apply only to later messages.
 */
export class ControlReader {
  readonly #policy: TrustPolicy | undefined
  readonly trust: ControlTrust
  readonly #checkpoints: VerifiedCheckpoint[] = []
  readonly #counts = { lease: 0, checkpoint: 0, set: 0 }
  /** True if all sources were read in advance, so that reading them again adds no leases. */
  #isKnown = false

  private constructor({ keyring, receivedAt }: TrustedAt) {
    this.#policy = TRUST in keyring ? keyring : undefined
    const leases = this.#policy && leaseTrustOf(this.#policy[TRUST]).newBook(LEASE_BOOK_LIMITS)
    this.trust = { keyring, receivedAt, leases, checkpoints: this.#checkpoints }
  }

  /** Opens a reader. With a trust policy, it first reads the leases and checkpoints of all files. */
  static async open(
    trust: TrustedAt,
    sources: readonly string[],
    options: ControlOptions,
    session: Session,
  ): Promise<ControlReader> {
    if (options.leases) assertPolicy(options, '--leases')
    if (options.checkpoints) assertPolicy(options, '--checkpoints')
    const reader = new ControlReader(trust)
    if (reader.trust.leases) await reader.#lookThrough(sources, options, session)
    return reader
  }

  async #lookThrough(
    sources: readonly string[],
    { leases = [], checkpoints = [], url }: ControlOptions,
    session: Session,
  ): Promise<void> {
    const sourcePaths = url === undefined ? await readableTwice(sources) : []
    this.#isKnown = sourcePaths.length > 0 && sourcePaths.length === sources.length
    const given = { '--leases': leases, '--checkpoints': checkpoints, source: sourcePaths }
    await this.#learn(given, isLease, session)
    if (this.trust.leases?.hasLogs || this.#hasWitnesses) await this.#learn(given, isCheckpoint, session)
  }

  get #hasWitnesses(): boolean {
    return this.#policy?.[TRUST].witnessLines !== undefined
  }

  /**
   * Verifies and stores the control messages of one kind from files.
   *
   * @param files - paths by option; under `source`, those of the command's messages. Skips an unreadable file of
   * `source`, because the command reports it later
   */
  async #learn(
    files: { readonly [option: string]: readonly string[] },
    isOne: (message: Uint8Array) => boolean,
    session: Session,
  ): Promise<void> {
    for (const [option, paths] of Object.entries(files)) {
      const progress = await ReadProgress.begin(paths, session)
      for await (const found of progress.count(messagesOf(paths, session.input, progress.addBytes))) {
        for (const one of found) {
          if (isReadable(one) && isOne(one.message)) await this.#verifyAndStore(one)
          if (one.message instanceof Unreadable && option !== 'source')
            throw invalid(option, one.message.expected, one.message.got)
        }
      }
    }
  }

  async partsOf(found: readonly FoundMessage[]): Promise<SortedMessages> {
    const [messages, checkpoints]: [FoundMessage[], ReadableMessage[]] = [[], []]
    for (const one of found) {
      const kind = isReadable(one) ? kindOf(one.message) : undefined
      if (kind === undefined || !isReadable(one)) {
        messages.push(one)
        continue
      }
      this.#counts[kind]++
      if (kind === 'checkpoint') checkpoints.push(one)
      if (!this.#isKnown) await this.#verifyAndStore(one)
    }
    return { messages, checkpoints }
  }

  async tell({ err }: Session, kinds: readonly BesideKind[] = ['lease', 'checkpoint', 'set']): Promise<void> {
    const parts = kinds
      .filter((kind) => this.#counts[kind] > 0)
      .map((kind) => countOf(this.#counts[kind], NAMES[kind][0], NAMES[kind][1]))
    if (parts.length > 0) await err.note(`skipped, as they say nothing about a payload: ${parts.join(', ')}`)
  }

  async #verifyAndStore({ place, message, ...arrival }: ReadableMessage): Promise<void> {
    const { leases: book, receivedAt = arrival.receivedAt } = this.trust
    if (!this.#policy || !book) return
    try {
      if (isLease(message)) await keepLease(message, book, this.#policy, receivedAt)
      else if (isCheckpoint(message)) {
        const checkpoint = await logIn(book, message, this.#policy, receivedAt)
        if (this.#hasWitnesses) this.#checkpoints.push(checkpoint)
      }
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      if (isLease(message)) book.fault ??= `${place}: ${error.message}`
    }
  }
}

async function keepLease(
  message: Uint8Array,
  book: LeaseBook,
  { [TRUST]: trusting }: TrustPolicy,
  receivedAt: number | undefined,
): Promise<void> {
  await makeReady(trusting.keyring)
  await leaseTrustOf(trusting).addLease(message, book, receivedAt)
}

/**
 * Verifies a checkpoint. Adds the messages that it lists to `leases`, so that the log state in a lease can prove
 * when they were signed.
 *
 * @returns the verified checkpoint
 */
async function logIn(
  leases: LeaseBook,
  message: Uint8Array,
  keyring: TrustPolicy,
  receivedAt: number | undefined,
): Promise<VerifiedCheckpoint> {
  // Load the verifier lazily, because few files contain checkpoints.
  const { verifyReceivedCheckpoint } = await import(
    '../../evidence/completeness/checkpoint/verify-checkpoint.js'
  )
  return verifyReceivedCheckpoint(message, { keyring, leases, receivedAt })
}

type BesideKind = 'lease' | 'checkpoint' | 'set'

const NAMES = {
  lease: ['lease', 'leases'],
  checkpoint: ['checkpoint', 'checkpoints'],
  set: ['message about a set or an input', 'messages about sets or inputs'],
} as const

function kindOf(message: Uint8Array): BesideKind | undefined {
  if (isLease(message)) return 'lease'
  if (isCheckpoint(message)) return 'checkpoint'
  return isSet(message) ? 'set' : undefined
}

/** Returns the files and folders among the sources. Standard input and pipes can be read only once. */
export async function readableTwice(sources: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const argument of sources) {
    const info = argument === '-' ? undefined : await stat(argument).catch(() => undefined)
    if (info?.isFile() || info?.isDirectory()) files.push(argument)
  }
  return files
}
