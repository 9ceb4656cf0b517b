import { withAlgorithms } from '../../foundation/algorithms/algorithms.js'
import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import type { EcKey } from '../../foundation/model/algorithm.js'
import { ecVerifies } from './ec-public.js'
import { SIGNATURE_LENGTH } from './outside-verifier.js'

/**
 * Verifies r ‖ s in 64 bytes with either s, as other programs write it. Messages allow only the lower one.
 *
 * @throws AlvariumError as `loadAlgorithms`
 */
export async function verifiesEitherS(
  key: Required<EcKey>,
  bytes: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  await loadAlgorithms()
  if (signature.length !== SIGNATURE_LENGTH) return false
  const canonical = withAlgorithms((algorithms) => algorithms.canonical(key.number, signature))
  return canonical !== undefined && ecVerifies(key, bytes, canonical)
}
