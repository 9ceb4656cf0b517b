import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import type { Keyring } from './keyring.js'

/**
 * Loads the algorithms that a keyring needs, and lets the core read its keys in parts.
 *
 * @throws as `loadAlgorithms` does
 */
export async function makeReady(keyring: Keyring): Promise<void> {
  if (keyring.needsAlgorithms) await loadAlgorithms()
  if (!keyring.isReady) await keyring.ready()
}
