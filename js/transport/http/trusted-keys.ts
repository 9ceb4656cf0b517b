import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { copyLeases } from '../../signing/keys/lease-options.js'
import {
  type LeaseTrust,
  type PolicyCheck,
  TRUST,
  type TrustPolicy,
} from '../../signing/keys/trust-policy.js'
import type { HttpAlgorithm, HttpKey, HttpKeys } from './named-keys.js'
import type { PkiHttpOptions } from './options.js'
import { p256Verifier } from './web-crypto.js'

/** One of the public keys that may belong to the key name in a message. Each is tried. */
interface CandidateKey {
  readonly id: string
  readonly algorithm: HttpAlgorithm
  verifies(bytes: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
}

/** Maximum number of keys to try per message, because anyone can name a signer with many keys. */
const MAX_TRIED_KEYS = 4

/**
 * Keys of a trust policy. A message names a key id or a signer. At most four keys of a signer are tried. Each
 * request uses the policy that is current when the request arrives.
 */
export class TrustedKeys implements HttpKeys {
  readonly #policy: TrustPolicy
  readonly #algorithms: readonly HttpAlgorithm[]
  readonly #leases: (() => readonly Uint8Array[]) | undefined
  /** Cache of P-256 verifiers by public key point, because making a verifier takes time. */
  readonly #p256 = new WeakMap<Uint8Array, CandidateKey['verifies']>()

  constructor(policy: TrustPolicy, algorithms: readonly HttpAlgorithm[], leases: PkiHttpOptions['leases']) {
    this.#policy = policy
    this.#algorithms = algorithms
    const fixedLeases = typeof leases === 'function' ? undefined : copyLeases({ leases })
    this.#leases =
      typeof leases === 'function' ? () => currentLeases(leases) : fixedLeases && (() => fixedLeases)
  }

  /** Returns the keys to try for a name, or a promise if leases are needed. */
  get(name: string, algorithm: string | undefined, signedAt: number | undefined): HttpKey | Promise<HttpKey> {
    const { keyring, judge: policyCheck, leased } = this.#policy[TRUST]
    const found = this.#candidates(policyCheck?.keyIdsOf(name) ?? [], keyring)
    if (policyCheck && found.length > 0) {
      const matches = found.filter((one) => one.algorithm === algorithm)
      const tried = keysToTry(matches.length > 0 ? matches : found, policyCheck, signedAt)
      return anyOf(tried, policyCheck)
    }
    if (!this.#leases || !leased) throw unknownSigner(name)
    return this.#byLease(name, leased, this.#leases())
  }

  /** Finds a leased key by its id only, because a signer's name may stand for the keys of many leases. */
  async #byLease(id: string, leased: LeaseTrust, leases: readonly Uint8Array[]): Promise<HttpKey> {
    const { keyring, judge, fault } = await leased.keysOf(leases)
    const isKnown = keyring.ed25519(id) !== undefined || keyring.ecKey(id) !== undefined
    const found = isKnown ? this.#candidates([id], keyring) : []
    if (judge && found.length > 0) return anyOf(found, judge)
    throw unknownSigner(id, fault)
  }

  /** Returns the keys with these ids that can verify HTTP messages. */
  #candidates(ids: readonly string[], keyring: Keyring): CandidateKey[] {
    const usable = ids.flatMap((id) => this.#candidate(id, keyring) ?? [])
    return usable.filter((one) => this.#algorithms.includes(one.algorithm))
  }

  #candidate(id: string, keyring: Keyring): CandidateKey | undefined {
    const other = keyring.ecKey(id)
    if (!other) {
      const verifies: CandidateKey['verifies'] = (...of) => keyring.verifies(id, ...of)
      return { id, algorithm: 'ed25519', verifies }
    }
    const { algorithm, point } = other
    if (algorithm !== 'P-256' || !point) return undefined
    const verifies = this.#p256.get(point) ?? p256Verifier(point)
    this.#p256.set(point, verifies)
    return { id, algorithm: 'ecdsa-p256-sha256', verifies }
  }
}

/**
 * Returns at most four keys of a signer to try. If there are more, prefers keys that may sign now.
 *
 * @throws AlvariumError `SIGNER_UNKNOWN` if more than four keys may sign now
 */
function keysToTry(
  found: readonly CandidateKey[],
  judge: PolicyCheck,
  signedAt: number | undefined,
): readonly CandidateKey[] {
  if (found.length <= MAX_TRIED_KEYS) return found
  const now = Date.now()
  const current: CandidateKey[] = []
  for (const one of found) {
    if (judge.mayRequest(one.id, signedAt, now)) current.push(one)
    if (current.length > MAX_TRIED_KEYS) throw tooManyKeys()
  }
  return current.length > 0 ? current : found.slice(-MAX_TRIED_KEYS)
}

function tooManyKeys(): AlvariumError {
  const got = `a signer's name with more than ${MAX_TRIED_KEYS} keys that may sign now`
  return expected('SIGNER_UNKNOWN', 'keyid', 'the id of one key', got)
}

/**
 * Returns the candidate keys of a message's signer as one key. Its `accept` checks the policy for the
 * candidate that verified the signature.
 */
function anyOf(candidates: readonly CandidateKey[], judge: Pick<PolicyCheck, 'request'>): HttpKey {
  let signer = ''
  return {
    algorithm: (candidates[0] as CandidateKey).algorithm,
    verifies: async (bytes, signature) => {
      for (const { id, verifies } of candidates) {
        if (!(await verifies(bytes, signature))) continue
        signer = id
        return true
      }
      return false
    },
    accept: (signedAt, receivedAt) => judge.request(signer, signedAt, receivedAt),
  }
}

/** Copies the current leases. They are read later, and the caller may change them in the meantime. */
function currentLeases(leases: () => readonly Uint8Array[]): readonly Uint8Array[] {
  return copyLeases({ leases: leases() }) ?? []
}

function unknownSigner(name: string, fault?: string): AlvariumError {
  const known = 'the name of a signer of the policy, or the id of one of its keys'
  const got = fault === undefined ? quote(name) : `${quote(name)}; ${fault}`
  return expected('SIGNER_UNKNOWN', 'keyid', known, got)
}
