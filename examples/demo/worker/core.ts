import algorithms from 'alvarium-sdk/algorithms.wasm?url'
import core from 'alvarium-sdk/core.wasm?url'
import { AlvariumError, useAlgorithms, useCore } from './sdk.ts'

/**
 * Fetches the core and starts it; nothing of the SDK works before.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when it is not there, or the page may not run WebAssembly
 */
export async function startCore(): Promise<void> {
  useCore(await fetched('core', core))
}

/**
 * Fetches what keys of ECDSA and SM2 take: more than the core, and few visitors have such a key.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when it is not there
 */
export async function startAlgorithms(): Promise<void> {
  await useAlgorithms(await fetched('algorithms', algorithms))
}

/** As bytes and not streamed, which would need a web server that knows the file's media type. */
async function fetched(name: string, address: string): Promise<ArrayBuffer> {
  const response = await fetch(new URL(address, import.meta.url))
  if (response.ok) return response.arrayBuffer()
  throw new AlvariumError(
    'CORE_UNAVAILABLE',
    `${name}: expected it beside the page, got HTTP ${response.status}`,
  )
}
