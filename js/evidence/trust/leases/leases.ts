import { AlvariumError } from '../../../foundation/base/errors.js'
import type { Bundle } from '../../../foundation/model/bundle.js'
import type { Keyring } from '../../../signing/keys/keyring.js'
import { makeReady } from '../../../signing/keys/keyring-use.js'
import type {
  BookCapacity,
  JudgedKeyring,
  LeaseBook,
  LeaseKeyring,
  LeaseTrust,
  LoggedMessages,
} from '../../../signing/keys/trust-policy.js'
import { type Explanation, explain } from '../permits/explain.js'
import type { PolicyPermits } from '../permits/policy-permits.js'
import { withWitnesses } from '../permits/witnessed-logs.js'
import { leaseIdentity, readSignedLease } from './lease.js'
import { Book } from './lease-book.js'
import { areSame, LeaseCache, LeaseVerifier, withLogs } from './lease-verifier.js'

const MAX_LEASES = 1024
/** Maximum total length of a call's leases in bytes, because the cache remembers sets of leases by their bytes. */
const MAX_BYTES = 1_048_576

export class Leases implements LeaseTrust {
  readonly #keyring: Keyring
  readonly #judge: PolicyPermits
  readonly #verifier: LeaseVerifier
  /** Last checkpoints, and the policy that was made with them. The next call often has the same checkpoints. */
  #witnessed: { readonly of: readonly LoggedMessages[]; readonly policy: JudgedKeyring } | undefined
  readonly #cache = new LeaseCache((leases) => this.#verifier.open(leases))

  get #policy(): JudgedKeyring {
    return { keyring: this.#keyring, judge: this.#judge }
  }

  constructor(keyring: Keyring, judge: PolicyPermits) {
    this.#keyring = keyring
    this.#judge = judge
    this.#verifier = new LeaseVerifier(keyring, judge)
  }

  async verifyOne<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    use: (judging: JudgedKeyring) => T | Promise<T>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<T> {
    assertFew(leases)
    const policy = await this.#policyWith(checkpoints)
    try {
      return await use(policy)
    } catch (error) {
      if (!isSignerUnknown(error)) throw error
      const leased = await this.keysOf(leases, checkpoints)
      try {
        return await use(leased)
      } catch (refusal) {
        throw isSignerUnknown(refusal) ? unknownSigner(error, leased) : refusal
      }
    }
  }

  /**
   * Returns the policy. If the policy has witnesses, the result also accepts late messages in logs that, according
   * to `checkpoints`, the witnesses saw in time.
   */
  async #policyWith(checkpoints: readonly LoggedMessages[] = []): Promise<JudgedKeyring> {
    const { witnesses } = this.#judge
    if (!witnesses || checkpoints.length === 0) return this.#policy
    const known = this.#witnessed
    if (known && areSame(known.of, checkpoints)) return known.policy
    const judge = await withWitnesses(this.#judge, witnesses, checkpoints)
    const policy = { keyring: this.#keyring, judge }
    this.#witnessed = { of: [...checkpoints], policy }
    return policy
  }

  async verifyMany<T>(
    leases: readonly Uint8Array[] | LeaseBook,
    count: number,
    use: (judging: JudgedKeyring, places: readonly number[]) => Promise<PromiseSettledResult<T>[]>,
    checkpoints?: readonly LoggedMessages[],
  ): Promise<PromiseSettledResult<T>[]> {
    assertFew(leases)
    const verified = await use(
      await this.#policyWith(checkpoints),
      Array.from({ length: count }, (_, at) => at),
    )
    const strangers = verified.flatMap((one, at) => (isOfUnknownSigner(one) ? [at] : []))
    if (strangers.length === 0) return verified
    const leased = await this.keysOf(leases, checkpoints)
    const next = (await use(leased, strangers)).values()
    return verified.map((one) => {
      if (!isOfUnknownSigner(one)) return one
      const again = next.next().value as PromiseSettledResult<T>
      return isOfUnknownSigner(again)
        ? { status: 'rejected', reason: unknownSigner(one.reason, leased) }
        : again
    })
  }

  /** Explains the decision about a bundle: by the policy, or by the leases if the policy does not know the signer. */
  async explained(
    leases: readonly Uint8Array[],
    bundle: Bundle,
    receivedAt: number | undefined,
  ): Promise<Explanation> {
    assertFew(leases)
    const policyExplanation = explain(this.#judge, bundle, receivedAt)
    if (policyExplanation.verdict !== 'SIGNER_UNKNOWN') return policyExplanation
    await makeReady(this.#keyring)
    const { judge, fault } = await this.#cache.get(leases)
    const explanation = explain(judge, bundle, receivedAt)
    if (explanation.verdict !== 'SIGNER_UNKNOWN') return explanation
    return fault === undefined
      ? policyExplanation
      : { ...policyExplanation, why: `${policyExplanation.why}; ${fault}` }
  }

  async keysOf(
    leases: readonly Uint8Array[] | LeaseBook,
    checkpoints: readonly LoggedMessages[] = [],
  ): Promise<LeaseKeyring> {
    if ('length' in leases) {
      assertFew(leases)
      await makeReady(this.#keyring)
      return withLogs(await this.#cache.get(leases), checkpoints)
    }
    const leased = (leases as Book).under(this.#judge)
    await makeReady(leased.keyring)
    return leased
  }

  newBook(room?: BookCapacity): Book {
    return new Book(room, this.#keyring.engine)
  }

  async addLease(
    message: Uint8Array,
    book: Book,
    receivedAt: number | undefined,
  ): Promise<string | undefined> {
    const lease = readSignedLease(message)
    const identity = leaseIdentity(lease)
    // Skip exact copies, because signers repeat leases. Verify a copy with new signatures, but do not add the copy.
    if (book.hasSame(identity, lease)) return undefined
    await this.#verifier.verify(lease, identity)
    if (book.has(identity)) return undefined
    book.add(lease, identity, receivedAt)
    return lease.keyId
  }

  close(): void {
    this.#cache.close()
  }
}

function assertFew(leases: readonly Uint8Array[] | LeaseBook): void {
  if (!('length' in leases)) return
  const bytes = leases.reduce((sum, { length }) => sum + length, 0)
  if (leases.length <= MAX_LEASES && bytes <= MAX_BYTES) return
  const got = `${leases.length}, of ${bytes} bytes in total`
  const text = `leases: expected at most ${MAX_LEASES} leases of ${MAX_BYTES} bytes in total, got ${got}`
  throw new AlvariumError('CONFIG_INVALID', text)
}

/** Returns whether an error means that no trusted signer has the key, so that only a lease can permit the statement. */
function isSignerUnknown(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
}

function isOfUnknownSigner(one: PromiseSettledResult<unknown>): one is PromiseRejectedResult {
  return one.status === 'rejected' && isSignerUnknown(one.reason)
}

/**
 * Returns the error for a signer without a lease. An invalid lease may be the reason, so the error names its fault.
 */
function unknownSigner(error: AlvariumError, { fault }: LeaseKeyring): AlvariumError {
  if (fault === undefined) return error
  return new AlvariumError(error.code, `${error.message}; ${fault}`, { signer: error.signer })
}
