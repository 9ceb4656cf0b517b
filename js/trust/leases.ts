import { toBytes } from '../base/bytes/hex.js'
import { AlvariumError, isVerdict } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import { verifyingAlgorithmOf } from '../keys/algorithm-of.js'
import { assertSigned } from '../keys/assert-signed.js'
import { unverified } from '../keys/ec-verifier.js'
import { Keyring } from '../keys/keyring.js'
import { makeReady } from '../keys/ready.js'
import type {
  BookRoom,
  Judging,
  LeaseBook,
  Leased,
  LoggedMessages,
  TakesLeases,
} from '../keys/trust-policy.js'
import { verifyBytes } from '../keys/verifying.js'
import type { Bundle } from '../model/bundle.js'
import { type Explanation, explained } from './explain.js'
import type { PolicyJudge } from './judge.js'
import { JudgedLeaseKey, statingOf } from './judged-lease-key.js'
import { type Lease, readSignedLease, type SignedLease } from './lease.js'
import { Book } from './lease-book.js'
import { leaseIdentity } from './lease-identity.js'
import { LeaseJudge } from './lease-judge.js'
import { listedLog, StatedLogs } from './stated-logs.js'

const MOST_LEASES = 1024
/** All of a call's: sets are kept by their bytes. */
const MOST_BYTES = 1_048_576
/** How many sets of leases are kept: whoever has a message and its leases often has the next one with the same. */
const KEPT = 16

/** The keys of leases, as they are judged here. */
interface LeasedKeys extends Leased {
  readonly judge: LeaseJudge
  readonly keys: ReadonlyMap<string, readonly JudgedLeaseKey[]>
}

/** Leases under one policy, which does not change any more. */
export class Leases implements TakesLeases {
  readonly #keyring: Keyring
  readonly #judge: PolicyJudge
  /** By their bytes, the one that was used last at the end. */
  readonly #kept = new Map<string, Promise<LeasedKeys>>()

  get #policy(): Judging {
    return { keyring: this.#keyring, judge: this.#judge }
  }

  /** @param keyring - the policy's keys */
  constructor(keyring: Keyring, judge: PolicyJudge) {
    this.#keyring = keyring
    this.#judge = judge
  }

  async one<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    use: (judging: Judging) => T | Promise<T>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<T> {
    if ('length' in leases) assertFew(leases)
    try {
      return await use(this.#policy)
    } catch (error) {
      if (!isStranger(error)) throw error
      const leased = await this.keysOf(leases, checkpoints)
      try {
        return await use(leased)
      } catch (refusal) {
        throw isStranger(refusal) ? unknown(error, leased) : refusal
      }
    }
  }

  async many<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    count: number,
    use: (judging: Judging, places: readonly number[]) => Promise<PromiseSettledResult<T>[]>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<PromiseSettledResult<T>[]> {
    if ('length' in leases) assertFew(leases)
    const verified = await use(
      this.#policy,
      Array.from({ length: count }, (_, at) => at),
    )
    const strangers = verified.flatMap((one, at) => (isUnknown(one) ? [at] : []))
    if (strangers.length === 0) return verified
    const leased = await this.keysOf(leases, checkpoints)
    const next = (await use(leased, strangers)).values()
    return verified.map((one) => {
      if (!isUnknown(one)) return one
      const again = next.next().value as PromiseSettledResult<T>
      return isUnknown(again) ? { status: 'rejected', reason: unknown(one.reason, leased) } : again
    })
  }

  /** All that the policy says of a bundle, or these leases, if it does not know the signer. */
  async explained(
    leases: readonly Uint8Array[],
    bundle: Bundle,
    receivedAt: number | undefined,
  ): Promise<Explanation> {
    assertFew(leases)
    const own = explained(this.#judge, bundle, receivedAt)
    if (own.verdict !== 'SIGNER_UNKNOWN') return own
    await makeReady(this.#keyring)
    const { judge, fault } = await this.#leased(leases)
    const explanation = explained(judge, bundle, receivedAt)
    if (explanation.verdict !== 'SIGNER_UNKNOWN') return explanation
    return fault === undefined ? own : { ...own, why: `${own.why}; ${fault}` }
  }

  async keysOf(
    leases: readonly Uint8Array[] | LeaseBook,
    checkpoints: readonly LoggedMessages[] = [],
  ): Promise<Leased> {
    if (!('length' in leases)) return this.#in(leases as Book)
    assertFew(leases)
    await makeReady(this.#keyring)
    return withLogs(await this.#leased(leases), checkpoints)
  }

  async #in(book: Book): Promise<Leased> {
    const leased = book.under(this.#judge)
    await makeReady(leased.keyring)
    return leased
  }

  newBook(room?: BookRoom): Book {
    return new Book(room)
  }

  async keep(message: Uint8Array, book: Book): Promise<string | undefined> {
    const lease = readSignedLease(message)
    const identity = leaseIdentity(lease)
    // It is sent again and again.
    if (book.has(identity)) return undefined
    await this.#verified(lease, identity)
    book.add(lease, identity)
    return lease.keyId
  }

  /** The keyring of the policy has to be ready. */
  async #leased(leases: readonly Uint8Array[]): Promise<LeasedKeys> {
    const name = nameOf(leases)
    const opened = this.#kept.get(name) ?? this.#opened(leases)
    this.#kept.delete(name)
    this.#kept.set(name, opened)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > KEPT && oldest !== undefined) this.#forget(oldest)
    try {
      return await opened
    } catch (error) {
      this.#kept.delete(name)
      throw error
    }
  }

  /** Gives the core's memory back. */
  close(): void {
    for (const name of this.#kept.keys()) this.#forget(name)
  }

  /** A call under way has its keys made once more. */
  #forget(name: string): void {
    const opened = this.#kept.get(name)
    this.#kept.delete(name)
    opened?.then(({ keyring }) => keyring.close()).catch(() => undefined)
  }

  async #opened(leases: readonly Uint8Array[]): Promise<LeasedKeys> {
    const keyring = new Keyring()
    const keys = new Map<string, JudgedLeaseKey[]>()
    let fault: string | undefined
    for (const [at, message] of leases.entries()) {
      await verifyTurns.take()
      try {
        const lease = readSignedLease(message)
        const key = await this.#verified(lease, leaseIdentity(lease))
        keyring.add(toBytes(lease.subject) as Uint8Array)
        keys.set(lease.keyId, [...(keys.get(lease.keyId) ?? []), key])
      } catch (error) {
        if (!isVerdict(error)) throw error
        fault ??= `leases[${at}]: ${error.message}`
      }
    }
    await makeReady(keyring)
    return { keyring, keys, judge: new LeaseJudge(keys), fault }
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNER_NOT_ALLOWED` for a key that has a signer already, `SIGNATURE_INVALID` */
  async #verified(lease: SignedLease & Lease, identity: Uint8Array): Promise<JudgedLeaseKey> {
    const issuer = this.#judge.keyOf(lease.issuer)
    if (this.#judge.knows(lease.keyId)) {
      const text = `lease.subject: expected a key that the policy does not have, got ${lease.keyId}`
      throw new AlvariumError('SIGNER_NOT_ALLOWED', text)
    }
    assertSigned(this.#keyring, lease.issuer, identity, toBytes(lease.signature) as Uint8Array)
    const subject = toBytes(lease.subject) as Uint8Array
    // Loads what verifies under it.
    await verifyingAlgorithmOf(subject)
    const isOwn = verifyBytes(subject, identity, toBytes(lease.subjectSignature) as Uint8Array)
    if (!isOwn) throw unverified(lease.keyId)
    return new JudgedLeaseKey(issuer, lease)
  }
}

/** The logs of the last call of a set of leases: who has checkpoints often has the next message with the same. */
const logsOf = new WeakMap<Leased, { readonly of: readonly LoggedMessages[]; readonly judge: LeaseJudge }>()

/** The same leases, for what may lie in the logs that they state. */
async function withLogs(leased: LeasedKeys, checkpoints: readonly LoggedMessages[]): Promise<LeasedKeys> {
  if (checkpoints.length === 0) return leased
  const known = logsOf.get(leased)
  const isSame =
    known?.of.length === checkpoints.length && known.of.every((one, at) => one === checkpoints[at])
  if (known && isSame) return { ...leased, judge: known.judge }
  const logs = new Map<string, StatedLogs>()
  for (const [keyId, keys] of leased.keys) {
    const stating = statingOf(keys)
    if (stating.length === 0) continue
    const own = new StatedLogs()
    own.state(stating)
    logs.set(keyId, own)
  }
  for (const checkpoint of checkpoints) {
    await verifyTurns.takeLong()
    const log = listedLog(checkpoint)
    if (log) logs.get(checkpoint.signer)?.add(log)
  }
  const judge = new LeaseJudge(leased.keys, logs)
  logsOf.set(leased, { of: [...checkpoints], judge })
  return { ...leased, judge }
}

/** @throws AlvariumError `CONFIG_INVALID` */
function assertFew(leases: readonly Uint8Array[]): void {
  const bytes = leases.reduce((sum, { length }) => sum + length, 0)
  if (leases.length <= MOST_LEASES && bytes <= MOST_BYTES) return
  const got = `${leases.length} of ${bytes} bytes together`
  const text = `leases: expected at most ${MOST_LEASES}, of ${MOST_BYTES} bytes together, got ${got}`
  throw new AlvariumError('CONFIG_INVALID', text)
}

/** Whether nobody who is trusted has the key that signed: a lease may say more. */
function isStranger(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
}

function isUnknown(one: PromiseSettledResult<unknown>): one is PromiseRejectedResult {
  return one.status === 'rejected' && isStranger(one.reason)
}

/** Unknown with the leases too, of which one may be why. */
function unknown(error: AlvariumError, { fault }: Leased): AlvariumError {
  return fault === undefined ? error : new AlvariumError(error.code, `${error.message}; ${fault}`)
}

/** Each by its length and its bytes, as characters: no two sets of leases have one name. */
function nameOf(leases: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('latin1')
  return leases.map((lease) => `${lease.length}:${decoder.decode(lease)}`).join('')
}
