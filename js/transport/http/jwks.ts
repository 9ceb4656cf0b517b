import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import type { Jwk } from '../../signing/keys/forms/jwk.js'
import { isForSignatures } from '../../signing/keys/forms/jwk-set.js'
import { jwkThumbprint, type PublicJwk } from '../../signing/keys/forms/thumbprint.js'
import { keyIdOf } from '../../signing/keys/verifying.js'
import { type HttpKey, NamedKeys } from './named-keys.js'

/** Key of a JSON Web Key Set; times in seconds (draft-ietf-webbotauth-httpsig-protocol, Directory Format). */
type SetKey = Jwk & { readonly kid?: unknown; readonly nbf?: unknown; readonly exp?: unknown }

/** Permitted values of a key's `alg`, by the key's curve. JOSE and RFC 9421 use different names. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  Ed25519: ['EdDSA', 'Ed25519', 'ed25519'],
  'P-256': ['ES256', 'ecdsa-p256-sha256'],
}

/** Usable keys of a JSON Web Key Set: public, and of a supported algorithm and use (RFC 7517, 5). */
export class JwksKeys {
  readonly #keys: NamedKeys
  readonly #times = new Map<string, SetKey>()
  /** Thumbprints by `kid`. If several keys have the same `kid`, the first one counts. */
  readonly #kids = new Map<string, string>()

  constructor(keys: readonly unknown[]) {
    const named: Record<string, PublicJwk> = {}
    for (const key of keys) {
      const jwk = usableJwk(key)
      if (!jwk) continue
      const thumbprint = jwkThumbprint(jwk)
      named[thumbprint] = jwk
      this.#times.set(thumbprint, key as SetKey)
      const { kid } = key as SetKey
      if (typeof kid === 'string' && !this.#kids.has(kid)) this.#kids.set(kid, thumbprint)
    }
    this.#keys = new NamedKeys(named, ['ed25519', 'ecdsa-p256-sha256'])
  }

  /**
   * Returns the key with this thumbprint or, if there is none, with this `kid`.
   *
   * @throws AlvariumError `SIGNER_EXPIRED` before the key's `nbf` and from its `exp` on
   */
  get(name: string): HttpKey | undefined {
    const thumbprint = this.#times.has(name) ? name : this.#kids.get(name)
    if (thumbprint === undefined) return undefined
    const { nbf = 0, exp = Number.POSITIVE_INFINITY } = this.#times.get(thumbprint) as SetKey
    const now = Date.now() / 1000
    if (Number(nbf) <= now && now < Number(exp)) return this.#keys.get(thumbprint)
    const requirement = 'a key that may sign now, according to its nbf and exp'
    throw expected('SIGNER_EXPIRED', 'keyid', requirement, quote(name))
  }
}

function usableJwk(key: unknown): PublicJwk | undefined {
  const { kty = '', crv = '', x = '', y, d, alg } = Object(key) as SetKey
  const algorithms = ALGORITHMS[crv]
  if (!isForSignatures(key) || !algorithms || d !== undefined) return undefined
  if (alg !== undefined && !algorithms.includes(alg)) return undefined
  const jwk = { crv, kty, x, ...(y !== undefined && { y }) }
  try {
    keyIdOf(jwk)
    return jwk
  } catch (error) {
    if (error instanceof AlvariumError && error.code === 'KEY_INVALID') return undefined
    throw error
  }
}
