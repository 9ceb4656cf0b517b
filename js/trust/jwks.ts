import { AlvariumError } from '../base/errors.js'
import type { Jwk } from '../keys/jwk.js'
import { keyIdOf } from '../keys/verifying.js'
import type { Policy } from './policy.js'

/** A key of a set, with what RFC 7517 §4 has beside it. */
type SetKey = Jwk & { readonly kid?: unknown; readonly use?: unknown; readonly key_ops?: unknown }

/** Whether it is a JSON Web Key Set: an object with `keys`, and without signers. */
export function isJwks(value: unknown): value is { readonly keys: readonly SetKey[] } {
  const { keys, signers }: { keys?: unknown; signers?: unknown } = Object(value)
  return Array.isArray(keys) && signers === undefined
}

/**
 * A policy out of a JSON Web Key Set: each `kid` is a signer. Keys of other types and uses are passed over (RFC 7517 §5); a key
 * without `kid` is called by its key id.
 *
 * @throws AlvariumError `CONFIG_INVALID` when no key is left; `KEY_INVALID`
 */
export function fromJwks({ keys }: { readonly keys: readonly SetKey[] }): Policy {
  const signers = new Map<string, Jwk[]>()
  for (const key of keys.filter(isForSignatures)) {
    const name = typeof key.kid === 'string' && key.kid !== '' ? key.kid : keyIdOf(key)
    signers.set(name, [...(signers.get(name) ?? []), key])
  }
  if (signers.size === 0) {
    const expected = 'a JSON Web Key Set with a key for signatures: of OKP and Ed25519, or of EC'
    throw new AlvariumError('CONFIG_INVALID', `trust: expected ${expected}, got one of ${keys.length} others`)
  }
  return { signers: Array.from(signers, ([name, some]) => ({ name, keys: some })) }
}

const CURVES = ['Ed25519', 'P-256', 'secp256k1', 'SM2']

function isForSignatures(key: SetKey): boolean {
  const { kty, crv, use, key_ops: operations } = Object(key) as SetKey
  const isKnown = (kty === 'OKP' || kty === 'EC') && CURVES.includes(String(crv))
  const isForVerifying = !Array.isArray(operations) || operations.includes('verify')
  return isKnown && (use === undefined || use === 'sig') && isForVerifying
}
