import type { EcKey } from '../../foundation/model/algorithm.js'
import { ecVerifies } from './ec/public-key.js'
import { recoverById } from './ec/recovery.js'
import { type HostKey, hostSpki, hostVerifier, type VerifyFunction } from './host-verifier.js'
import { OutsideVerifier, type VerifyById } from './outside-verifier.js'

/**
 * Creates a verifier for EC keys. A separate WebAssembly module verifies their signatures: call and await
 * `loadAlgorithms()` first.
 *
 * @param coreKeys - number of keys in the core
 */
export function ecVerifier(keys: Iterable<EcKey>, coreKeys: number): OutsideVerifier {
  const byId = new Map(Array.from(keys, (key) => [key.keyId, key]))
  const verifies: VerifyById = (keyId, bytes, signature) => {
    const key = byId.get(keyId)
    if (!key) return false
    const { point } = key
    if (point) return ecVerifies({ ...key, point }, bytes, signature)
    const recovered = recoverById(keyId, bytes, signature)
    // Store the recovered key, so that later signatures need no recovery.
    if (recovered) byId.set(keyId, recovered)
    return recovered !== undefined
  }
  return new OutsideVerifier(byId, verifies, coreKeys)
}

/**
 * Creates a verifier for keys with which the platform verifies.
 *
 * @throws AlvariumError `CONFIG_INVALID` for an EC key on another curve than P-256
 */
export function hostKeysVerifier(keys: Iterable<readonly [keyId: string, key: HostKey]>): OutsideVerifier {
  const byId = new Map(keys)
  for (const key of byId.values()) hostSpki(key)
  const open = new Map<string, VerifyFunction>()
  const verifies: VerifyById = (keyId, bytes, signature) => {
    const key = byId.get(keyId)
    if (!key) return false
    const verify = open.get(keyId) ?? hostVerifier(key)
    open.set(keyId, verify)
    return verify(bytes, signature)
  }
  return new OutsideVerifier(byId, verifies, 0)
}
