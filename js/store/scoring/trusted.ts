import {
  type VerifiedCheckpoint,
  verifyReceivedCheckpoint,
} from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { AlvariumError, isVerdict } from '../../foundation/base/errors.js'
import { TRUST, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { verifyIfClassic } from '../../verifying/classic/received.js'
import type { TrustApplied } from '../../verifying/score/scoring-input.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { CHECKPOINT } from '../ingest/control-messages.js'
import type { Entry } from '../ingest/entry.js'
import { StoreLeases } from '../ingest/leases.js'
import { type ReceivedMessage, receivedIn } from '../ingest/message-ids.js'
import { type VerifySettings, verifyAll } from '../ingest/verify-all.js'
import { decodeHexes, numberIn, numbers } from '../rows/columns.js'
import { groupsOf, partsOf } from '../rows/groups.js'

/** Verdict of a trust policy on a stored bundle: the verified bundle, or the error with which the policy refuses it. */
export type TrustVerdict = Entry | AlvariumError

const GROUP_SIZE = 64

/** Verifies the messages of stored bundles again, by a trust policy and the stored leases. */
export class TrustedReader {
  /** Copy of the policy. A later update of the original must not be reported as the policy that decided. */
  readonly policy: TrustPolicy
  readonly #codec: Codec | undefined
  readonly #leases = new StoreLeases()
  /**
   * Signers whose checkpoints were read. Checkpoints are read only for signers with a message that was
   * refused as expired or revoked.
   */
  readonly #logged = new Set<string>()
  readonly #checkpoints: VerifiedCheckpoint[] = []

  constructor(policy: TrustPolicy, codec: Codec | undefined) {
    this.policy = { signers: policy.signers, digest: policy.digest, [TRUST]: policy[TRUST] }
    this.#codec = codec
  }

  /** Returns true if this reader uses the policy in its present state, without a later update. */
  isBy(policy: TrustPolicy): boolean {
    return this.policy[TRUST] === policy[TRUST]
  }

  /** Returns the policy's verdict on each row. The rows must have the columns `evidence` and `place`. */
  async of(session: Session, rows: readonly Row[]): Promise<TrustVerdict[]> {
    const settings = await this.#readSettings(session)
    const verdicts = new Array<TrustVerdict>(rows.length)
    const places = groupsOf(rows.map((row, at) => [numberIn(row, 'evidence'), at] as const))
    for (const seqs of partsOf([...places.keys()], GROUP_SIZE)) {
      const messages = await messagesOf(session, seqs)
      const verdictsOf = await this.#verified(session, [...messages.values()], settings)
      for (const seq of seqs) {
        const evidence = messages.get(seq)
        for (const at of places.get(seq) ?? []) {
          const place = numberIn(rows[at] as Row, 'place')
          verdicts[at] = evidence
            ? ((await verdictAt(verdictsOf(evidence), place, evidence, settings)) ?? missingMessage(seq))
            : missingMessage(seq)
        }
      }
    }
    return verdicts
  }

  async #readSettings(session: Session): Promise<VerifySettings> {
    const checkpoints = this.#checkpoints
    const settings = { keyring: this.policy, codec: this.#codec, classic: true, checkpoints }
    return { ...settings, leases: await this.#leases.read(session, settings) }
  }

  /**
   * Verifies messages. If some are refused as expired or revoked, reads the checkpoints of their signers, and
   * verifies all messages again. Verifies only once if these checkpoints were read before, or if neither
   * leases nor witnesses can prove an earlier time.
   */
  async #verified(
    session: Session,
    messages: readonly ReceivedMessage[],
    settings: VerifySettings,
  ): Promise<VerdictsOf> {
    const first = await verdictsOf(messages, settings)
    if (!settings.leases?.hasLogs && !this.policy[TRUST].witnessLines) return first
    const late = messages.flatMap((one) => lateSigner(first(one)))
    const isMore = await this.#readCheckpoints(session, late, settings)
    return isMore ? verdictsOf(messages, settings) : first
  }

  async #readCheckpoints(
    session: Session,
    signers: readonly string[],
    settings: VerifySettings,
  ): Promise<boolean> {
    const unread = new Set(signers.filter((one) => !this.#logged.has(one)))
    for (const signer of unread) {
      this.#logged.add(signer)
      for (const row of await session.query(CHECKPOINTS, [decodeHexes([signer])])) {
        await this.#readCheckpoint(row, settings)
      }
    }
    return unread.size > 0
  }

  /**
   * Adds a checkpoint that the policy permits. It may prove that a message was signed before its key expired
   * or was revoked.
   */
  async #readCheckpoint(row: Row, { keyring, leases }: VerifySettings): Promise<void> {
    const { message, receivedAt } = receivedIn(row)
    try {
      const given = { keyring, receivedAt, ...(leases && { leases }) }
      this.#checkpoints.push(await verifyReceivedCheckpoint(message, given))
    } catch (error) {
      if (!isVerdict(error)) throw error
    }
  }

  /** Makes the next call read leases and checkpoints again. Call it if the connection may lead to another database. */
  forget(): void {
    this.#checkpoints.length = 0
    this.#leases.forget()
    this.#logged.clear()
  }

  close(): void {
    this.#leases.close()
  }
}

/** Entries of a message by place, or the error that refuses the message. */
type MessageVerdict = ReadonlyMap<number, Entry> | AlvariumError
type VerdictsOf = (one: ReceivedMessage) => MessageVerdict

async function verdictsOf(
  messages: readonly ReceivedMessage[],
  settings: VerifySettings,
): Promise<VerdictsOf> {
  const { found, refused } = await verifyAll(messages, settings)
  const verdicts = new Map<Uint8Array, MessageVerdict>(refused.map(({ message, error }) => [message, error]))
  for (const [message, entries] of groupsOf(found.map(({ entry, evidence }) => [evidence.message, entry]))) {
    verdicts.set(message, new Map(entries.map((entry) => [entry.place, entry])))
  }
  return ({ message }) => verdicts.get(message) ?? new Map()
}

function lateSigner(verdict: MessageVerdict): string[] {
  const isLate =
    verdict instanceof AlvariumError && ['SIGNER_EXPIRED', 'SIGNER_REVOKED'].includes(verdict.code)
  return isLate && verdict.signer !== undefined ? [verdict.signer] : []
}

/** Returns the verdict on the bundle or annotation at a place of a message, or undefined if there is none. */
async function verdictAt(
  verdict: MessageVerdict,
  place: number,
  { message, receivedAt }: ReceivedMessage,
  { keyring, leases }: VerifySettings,
): Promise<TrustVerdict | undefined> {
  if (verdict instanceof AlvariumError) return verdict
  const entry = verdict.get(place)
  if (entry) return entry
  const found = await verifyIfClassic(message, keyring, { emptyLists: 'reject' }, { receivedAt, leases })
  const one = typeof found === 'object' ? found.annotations[place] : undefined
  return one?.status === 'rejected' ? one.reason : undefined
}

function missingMessage(seq: number): AlvariumError {
  return new AlvariumError('STORE_DAMAGED', `store: expected the message of a bundle, got none in row ${seq}`)
}

async function messagesOf(session: Session, seqs: readonly number[]): Promise<Map<number, ReceivedMessage>> {
  const rows = await session.query(MESSAGES, [numbers(seqs)])
  return new Map(rows.map((row) => [numberIn(row, 'seq'), receivedIn(row)]))
}

const MESSAGES = `
  select seq, received, message from alvarium.evidence where seq = any(array(select unnest($1::text::bigint[])))`
const CHECKPOINTS = `
  select received, message from alvarium.beside where kind = ${CHECKPOINT} and key = $1::bytea order by seq`

/** Returns the digest of the policy, and no refusals: the result for a payload without bundles. */
export function nothingRefused({ digest }: TrustPolicy): TrustApplied {
  return { ...(digest !== undefined && { policy: digest }), refused: {} }
}
