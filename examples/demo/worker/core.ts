import address from 'alvarium-sdk/core.wasm?url'
import { AlvariumError, useCore } from './sdk.ts'

/**
 * Fetches the core and starts it; nothing of the SDK works before. As bytes and not streamed, which would need a web
 * server that knows the file's media type.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when it is not there, or the page may not run WebAssembly
 */
export async function startCore(): Promise<void> {
  const response = await fetch(new URL(address, import.meta.url))
  if (!response.ok) {
    throw new AlvariumError(
      'CORE_UNAVAILABLE',
      `core: expected it beside the page, got HTTP ${response.status}`,
    )
  }
  useCore(await response.arrayBuffer())
}
