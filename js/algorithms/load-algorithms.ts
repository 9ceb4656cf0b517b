import { load } from './module.js'

/**
 * Loads what ECDSA and SM2 take, 115 kB of gzip beside the core, once; later calls do nothing. Whatever is asynchronous
 * does so by itself, when a key first needs it: call this before `verifyBytes` or `signBytes` with such a key.
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
