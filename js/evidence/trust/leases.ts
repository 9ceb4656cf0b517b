import { AlvariumError } from '../../foundation/base/errors.js'
import type { Bundle } from '../../foundation/model/bundle.js'
import { makeReady } from '../../signing/keys/keyring-use.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import type {
  BookCapacity,
  JudgedKeyring,
  LeaseBook,
  LeaseKeyring,
  LeaseTrust,
  LoggedMessages,
} from '../../signing/keys/trust-policy.js'
import { type Explanation, explained } from './explain.js'
import type { PolicyJudge } from './judge.js'
import { KeptLeases } from './kept-leases.js'
import { readSignedLease } from './lease.js'
import { Book } from './lease-book.js'
import { leaseIdentity } from './lease-identity.js'
import { LeaseVerifier } from './lease-verifier.js'
import { withLogs } from './leased-logs.js'
import { SeenJudge } from './seen-judge.js'
import { SeenLogs } from './witnessed-logs.js'

const MOST_LEASES = 1024
/** Limit of the bytes of all leases of a call: sets of leases are remembered by their bytes. */
const MOST_BYTES = 1_048_576

/** Leases under one policy, which never changes. */
export class Leases implements LeaseTrust {
  readonly #keyring: Keyring
  readonly #judge: PolicyJudge
  readonly #verifier: LeaseVerifier
  /** Checkpoints of the last call, and the policy with their logs: the next message often comes with the same ones. */
  #seen: { readonly of: readonly LoggedMessages[]; readonly policy: JudgedKeyring } | undefined
  readonly #kept = new KeptLeases((leases) => this.#verifier.opened(leases))

  get #policy(): JudgedKeyring {
    return { keyring: this.#keyring, judge: this.#judge }
  }

  /** @param keyring - the policy's keys */
  constructor(keyring: Keyring, judge: PolicyJudge) {
    this.#keyring = keyring
    this.#judge = judge
    this.#verifier = new LeaseVerifier(keyring, judge)
  }

  async verifyOne<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    use: (judging: JudgedKeyring) => T | Promise<T>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<T> {
    if ('length' in leases) assertFew(leases)
    const policy = await this.#policyWith(checkpoints)
    try {
      return await use(policy)
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

  /**
   * Returns the policy. With witnesses and checkpoints, it also accepts late messages by the time at which the
   * witnesses had seen them.
   */
  async #policyWith(checkpoints: readonly LoggedMessages[] = []): Promise<JudgedKeyring> {
    const { witnesses } = this.#judge
    if (!witnesses || checkpoints.length === 0) return this.#policy
    const known = this.#seen
    const isSame =
      known?.of.length === checkpoints.length && known.of.every((one, at) => one === checkpoints[at])
    if (known && isSame) return known.policy
    const judge = new SeenJudge(this.#judge, await SeenLogs.of(witnesses, checkpoints))
    const policy = { keyring: this.#keyring, judge }
    this.#seen = { of: [...checkpoints], policy }
    return policy
  }

  async verifyMany<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    count: number,
    use: (judging: JudgedKeyring, places: readonly number[]) => Promise<PromiseSettledResult<T>[]>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<PromiseSettledResult<T>[]> {
    if ('length' in leases) assertFew(leases)
    const verified = await use(
      await this.#policyWith(checkpoints),
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

  /** Explains a bundle by the policy; or by these leases, if the policy does not know the signer. */
  async explained(
    leases: readonly Uint8Array[],
    bundle: Bundle,
    receivedAt: number | undefined,
  ): Promise<Explanation> {
    assertFew(leases)
    const own = explained(this.#judge, bundle, receivedAt)
    if (own.verdict !== 'SIGNER_UNKNOWN') return own
    await makeReady(this.#keyring)
    const { judge, fault } = await this.#kept.of(leases)
    const explanation = explained(judge, bundle, receivedAt)
    if (explanation.verdict !== 'SIGNER_UNKNOWN') return explanation
    return fault === undefined ? own : { ...own, why: `${own.why}; ${fault}` }
  }

  async keysOf(
    leases: readonly Uint8Array[] | LeaseBook,
    checkpoints: readonly LoggedMessages[] = [],
  ): Promise<LeaseKeyring> {
    if (!('length' in leases)) return this.#in(leases as Book)
    assertFew(leases)
    await makeReady(this.#keyring)
    return withLogs(await this.#kept.of(leases), checkpoints)
  }

  async #in(book: Book): Promise<LeaseKeyring> {
    const leased = book.under(this.#judge)
    await makeReady(leased.keyring)
    return leased
  }

  newBook(room?: BookCapacity): Book {
    return new Book(room, this.#keyring.engine)
  }

  async keep(message: Uint8Array, book: Book, receivedAt: number | undefined): Promise<string | undefined> {
    const lease = readSignedLease(message)
    const identity = leaseIdentity(lease)
    // Skip known copies: signers publish a lease repeatedly. A copy with other signatures is verified, too, and its
    // first receipt counts.
    if (book.hasSame(identity, lease)) return undefined
    await this.#verifier.verified(lease, identity)
    if (book.has(identity)) return undefined
    book.add(lease, identity, receivedAt)
    return lease.keyId
  }

  /** Frees the memory of the core. */
  close(): void {
    this.#kept.close()
  }
}

/** @throws AlvariumError `CONFIG_INVALID` */
function assertFew(leases: readonly Uint8Array[]): void {
  const bytes = leases.reduce((sum, { length }) => sum + length, 0)
  if (leases.length <= MOST_LEASES && bytes <= MOST_BYTES) return
  const got = `${leases.length} of ${bytes} bytes together`
  const text = `leases: expected at most ${MOST_LEASES}, of ${MOST_BYTES} bytes together, got ${got}`
  throw new AlvariumError('CONFIG_INVALID', text)
}

/** Returns whether no trusted signer has the key: a lease may know it. */
function isStranger(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
}

function isUnknown(one: PromiseSettledResult<unknown>): one is PromiseRejectedResult {
  return one.status === 'rejected' && isStranger(one.reason)
}

/** Returns the error for a signer that the leases do not know either: an invalid lease may be the reason. */
function unknown(error: AlvariumError, { fault }: LeaseKeyring): AlvariumError {
  if (fault === undefined) return error
  return new AlvariumError(error.code, `${error.message}; ${fault}`, { signer: error.signer })
}
