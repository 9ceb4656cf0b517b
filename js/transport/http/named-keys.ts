import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { invalid } from '../../signing/keys/fault.js'
import { Keyring } from '../../signing/keys/keyring.js'
import type { SignedBy } from '../../signing/keys/trust-policy.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import { p256Verifier } from './web-crypto.js'

/** Name of a supported signature algorithm (RFC 9421, 6.2.2). */
export type HttpAlgorithm = 'ed25519' | 'ecdsa-p256-sha256'

export interface HttpKey {
  readonly algorithm: HttpAlgorithm
  verifies(bytes: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  /**
   * Asserts that the trust policy permits the signer of a verified message. Times are in milliseconds since
   * 1970. This method is absent without a trust policy.
   *
   * @throws AlvariumError `SIGNER_EXPIRED`, `SIGNER_REVOKED`; with leases also `SIGNER_NOT_ALLOWED`
   */
  accept?(signedAt: number | undefined, receivedAt: number): SignedBy
}

export interface HttpKeys {
  /**
   * Returns the key with a name. Returns a promise if the key must be fetched, or leases must be verified
   * first.
   *
   * @param algorithm - algorithm that the message states; undefined if it states none
   * @param signedAt - time of signing that the message states, in milliseconds since 1970
   * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNER_EXPIRED`
   */
  get(name: string, algorithm: string | undefined, signedAt: number | undefined): HttpKey | Promise<HttpKey>
}

/** Public keys by the names in messages. One `Keyring` contains them all, so that one memory limit applies. */
export class NamedKeys implements HttpKeys {
  readonly #keyring = new Keyring()
  readonly #keys: ReadonlyMap<string, HttpKey>

  /**
   * @param algorithms - algorithms that are allowed for the keys
   * @throws AlvariumError `KEY_INVALID` naming a key that is unreadable or has another algorithm
   */
  constructor(keys: Readonly<Record<string, VerifyingKeyInput>>, algorithms: readonly HttpAlgorithm[]) {
    const ids = Object.entries(keys).map(([name, key]) => [name, this.#addKey(fieldOf(name), key)] as const)
    const ecKeys = new Map(this.#keyring.ecKeys.map((key) => [key.keyId, key]))
    this.#keys = new Map(ids.map(([name, id]) => [name, this.#keyOf(name, id, ecKeys.get(id), algorithms)]))
  }

  #keyOf(
    name: string,
    id: string,
    other: Keyring['ecKeys'][number] | undefined,
    algorithms: readonly HttpAlgorithm[],
  ): HttpKey {
    if (!other) return { algorithm: 'ed25519', verifies: (...of) => this.#ed25519(id, ...of) }
    const { algorithm, point } = other
    if (algorithm === 'P-256' && point && algorithms.includes('ecdsa-p256-sha256')) {
      return { algorithm: 'ecdsa-p256-sha256', verifies: p256Verifier(point) }
    }
    const which = algorithms.length > 1 ? 'an Ed25519 or P-256 key' : 'an Ed25519 key'
    throw invalid(fieldOf(name), which, `a key of ${algorithm}`)
  }

  #addKey(field: string, input: VerifyingKeyInput): string {
    try {
      return this.#keyring.add(input)
    } catch (cause) {
      if (!(cause instanceof AlvariumError)) throw cause
      throw new AlvariumError(cause.code, `${field}: ${cause.message}`, { cause })
    }
  }

  #ed25519(id: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    return this.#keyring.use((verifier) => verifier.verifies(id, bytes, signature))
  }

  get(name: string): HttpKey {
    const key = this.#keys.get(name)
    if (key) return key
    throw expected('SIGNER_UNKNOWN', 'keyid', 'the name of a trusted key', quote(name))
  }
}

function fieldOf(name: string): string {
  return `keys[${quote(name)}]`
}
