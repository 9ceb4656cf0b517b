import { AlvariumError } from '../../../foundation/base/errors.js'
import { isQuotable, printable } from '../../../foundation/base/text/text.js'
import { trustTurns } from '../../../foundation/base/time/turns.js'
import type { Jwk } from '../../../signing/keys/forms/jwk.js'
import { isJwkSet, isSignatureKey } from '../../../signing/keys/forms/jwk-set.js'
import { keyIdOf } from '../../../signing/keys/verifying.js'
import { MAX_SIGNERS } from './policy-schema.js'
import { listSkipped, type WrittenPolicy } from './skipped-keys.js'

/** Key in a JSON Web Key Set (RFC 7517), which may have a `kid`. */
type SetKey = Jwk & { readonly kid?: unknown }

/** Returns whether a value is a JSON Web Key Set: an object with `keys`, and without `signers`. */
export function isJwks(value: unknown): value is { readonly keys: readonly SetKey[] } {
  return isJwkSet(value) && Reflect.get(value, 'signers') === undefined
}

/**
 * Makes a policy from a JSON Web Key Set. Each `kid` becomes a signer. A key without `kid` is named by its key id.
 * Keys with other types or uses are skipped (RFC 7517 §5).
 *
 * @throws AlvariumError `CONFIG_INVALID` for more than 100,000 keys, if no key is left, or if a key without
 * `kid` cannot be read
 */
export async function policyOfJwks({ keys }: { readonly keys: readonly SetKey[] }): Promise<WrittenPolicy> {
  if (keys.length > MAX_SIGNERS)
    throw invalid(`keys: expected at most ${MAX_SIGNERS} keys, got ${keys.length}`)
  const signers = new Map<string, Jwk[]>()
  const skippedKeys: string[] = []
  for (const [at, key] of keys.entries()) {
    await trustTurns.yieldIfDue()
    if (!isSignatureKey(key)) {
      skippedKeys.push(printable(`keys.${at}: ${kindOf(key)}`))
      continue
    }
    const name = nameOf(key, at)
    const jwks = signers.get(name) ?? []
    jwks.push(key)
    signers.set(name, jwks)
  }
  if (signers.size === 0) {
    const expected = 'a JSON Web Key Set with a signature key (kty OKP with crv Ed25519, or kty EC)'
    throw invalid(`trust: expected ${expected}, got ${keys.length} other keys (${listSkipped(skippedKeys)})`)
  }
  return {
    policy: { signers: Array.from(signers, ([name, signerKeys]) => ({ name, keys: signerKeys })) },
    skippedKeys,
  }
}

function nameOf(key: SetKey, at: number): string {
  if (typeof key.kid === 'string' && key.kid !== '') return key.kid
  try {
    return keyIdOf(key)
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'KEY_INVALID') throw error
    throw invalid(`keys.${at}: ${error.message}`)
  }
}

function invalid(text: string): AlvariumError {
  return new AlvariumError('CONFIG_INVALID', text)
}

function kindOf(key: SetKey): string {
  const { kty, crv, use, alg } = Object(key) as SetKey
  const names = [kty, crv, use, alg].filter((one) => typeof one === 'string' && isQuotable(one))
  return names.join(' ') || 'another kind'
}
