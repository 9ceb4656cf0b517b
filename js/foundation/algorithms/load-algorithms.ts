import { load } from './module.js'

/**
 * Loads ECDSA and SM2 once, 115 kB of gzip in addition to the core; later calls do nothing. Asynchronous functions load
 * them on their own when a key first needs them: call this before `verifyBytes` or `signBytes` with such a key.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when it cannot be loaded, or WebAssembly may not run here; a later call tries
 * again
 *
 * @example
 * ```ts
 * const key = await readKey('p256.pem')
 * await loadAlgorithms()
 * signBytes(key, bytes)
 * ```
 */
export function loadAlgorithms(): Promise<void> {
  return load()
}
