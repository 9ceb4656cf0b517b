import { loadAlgorithms } from '../algorithms/load-algorithms.js'
import type { Keyring } from './keyring.js'

/**
 * Loads what verifies by the keys of a keyring, and has the core read them, in parts.
 *
 * @throws as `loadAlgorithms` does
 */
export async function makeReady(keyring: Keyring): Promise<void> {
  if (keyring.needsAlgorithms) await loadAlgorithms()
  if (!keyring.isReady) await keyring.ready()
}
