import { AlvariumError } from '../base/errors.js'
import { quoted } from '../base/text/text.js'
import type { Keyring } from '../keys/keyring.js'
import { type Judge, type SignedBy, TRUST, type TrustPolicy } from '../keys/trust-policy.js'
import type { HttpAlgorithm, HttpKey, HttpKeys } from './named-keys.js'
import { p256Verifier } from './web-crypto.js'

/** One key that a name may stand for. */
interface CandidateKey {
  readonly id: string
  readonly algorithm: HttpAlgorithm
  verifies(bytes: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
}

/**
 * The keys of a trust policy. Messages name a signer, of which each key is tried while it has several, or a key by its id. What
 * is looked up is what holds now: policies change while requests come.
 */
export class TrustedKeys implements HttpKeys {
  readonly #policy: TrustPolicy
  readonly #algorithms: readonly HttpAlgorithm[]
  /** To make one takes time; a key's point is the same as long as its policy holds. */
  readonly #p256 = new WeakMap<Uint8Array, CandidateKey['verifies']>()

  constructor(policy: TrustPolicy, algorithms: readonly HttpAlgorithm[]) {
    this.#policy = policy
    this.#algorithms = algorithms
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  get(name: string, algorithm: string | undefined): HttpKey {
    const { keyring, judge } = this.#policy[TRUST]
    const ids = judge?.keyIdsOf(name) ?? []
    const usable = ids.flatMap((id) => this.#candidate(id, keyring) ?? [])
    const found = usable.filter((one) => this.#algorithms.includes(one.algorithm))
    if (!judge || found.length === 0) throw unknown(name)
    const asked = found.filter((one) => one.algorithm === algorithm)
    return new TrustedKey(asked.length > 0 ? asked : found, judge)
  }

  #candidate(id: string, keyring: Keyring): CandidateKey | undefined {
    const other = keyring.ecKeys.find(({ keyId }) => keyId === id)
    if (!other) {
      const verifies: CandidateKey['verifies'] = (...of) =>
        keyring.use((verifier) => verifier.verifies(id, ...of))
      return { id, algorithm: 'ed25519', verifies }
    }
    const { algorithm, point } = other
    if (algorithm !== 'P-256' || !point) return undefined
    const verifies = this.#p256.get(point) ?? p256Verifier(point)
    this.#p256.set(point, verifies)
    return { id, algorithm: 'ecdsa-p256-sha256', verifies }
  }
}

/** The keys of one signer, for one message. */
class TrustedKey implements HttpKey {
  readonly algorithm: HttpAlgorithm
  readonly #candidates: readonly CandidateKey[]
  readonly #judge: Judge
  /** The key that has signed. */
  #signer: string | undefined

  constructor(candidates: readonly CandidateKey[], judge: Judge) {
    this.algorithm = (candidates[0] as CandidateKey).algorithm
    this.#candidates = candidates
    this.#judge = judge
  }

  async verifies(bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
    for (const { id, verifies } of this.#candidates) {
      if (!(await verifies(bytes, signature))) continue
      this.#signer = id
      return true
    }
    return false
  }

  accept(signedAt: number | undefined, receivedAt: number): SignedBy {
    return this.#judge.request(this.#signer as string, signedAt, receivedAt)
  }
}

function unknown(name: string): AlvariumError {
  const text = `keyid: expected the name of a signer of the policy, or the id of one of its keys, got ${quoted(name)}`
  return new AlvariumError('SIGNER_UNKNOWN', text)
}
