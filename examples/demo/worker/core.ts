import algorithms from 'alvarium-sdk/algorithms.wasm?url'
import core from 'alvarium-sdk/core.wasm?url'
import { AlvariumError, useAlgorithms, useCore } from './sdk.ts'

/**
 * Fetches and starts the core, which all functions of the SDK need.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` for an HTTP error, or when the page may not run WebAssembly
 * @throws TypeError when the server does not answer
 */
export async function startCore(): Promise<void> {
  useCore(await fetched('core', core))
}

/**
 * Fetches the code for ECDSA and SM2 keys. It is separate, because it is larger than the core and few
 * visitors need it.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` for an HTTP error
 * @throws TypeError when the server does not answer
 */
export async function startAlgorithms(): Promise<void> {
  await useAlgorithms(await fetched('algorithms', algorithms))
}

/** Fetches a module as bytes. Streaming would need a web server that sends `application/wasm`. */
async function fetched(name: string, address: string): Promise<ArrayBuffer> {
  const response = await fetch(new URL(address, import.meta.url))
  if (response.ok) return response.arrayBuffer()
  throw new AlvariumError(
    'CORE_UNAVAILABLE',
    `${name}: expected it beside the page, got HTTP ${response.status}`,
  )
}
