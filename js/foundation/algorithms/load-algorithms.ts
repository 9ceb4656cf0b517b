import { load } from './module.js'

/**
 * Loads ECDSA and SM2: 112 kB with gzip, in addition to the core. Later calls do nothing. Asynchronous functions load
 * the algorithms when a key first needs them. Call this function before the synchronous `verifyBytes` or `signBytes`
 * with an ECDSA or SM2 key.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when the module cannot be loaded, or WebAssembly may not run here; a later
 * call tries again
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
