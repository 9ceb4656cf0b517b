import { withCore } from './core.js'
import { assertModule, supplyCore } from './module.js'

/**
 * Starts the core from `alvarium-sdk/core.wasm`, of the same version as this package. Needed once, before anything else,
 * with `alvarium-sdk/slim`, whose bundle is smaller by that file's base64. A core that runs already stays the one.
 *
 * @param module - the file's bytes, or a `WebAssembly.Module` of them (`object`, so that the types need no DOM)
 * @throws TypeError when `module` is neither bytes nor a `WebAssembly.Module`
 * @throws AlvariumError `CORE_UNAVAILABLE` when it is not the core, or WebAssembly may not run here
 *
 * @example
 * ```ts
 * import { openSdk, useCore } from 'alvarium-sdk/slim'
 * import url from 'alvarium-sdk/core.wasm?url' // as Vite has it
 *
 * useCore(await WebAssembly.compileStreaming(fetch(url)))
 * ```
 */
export function useCore(module: ArrayBuffer | ArrayBufferView | object): void {
  assertModule(module)
  supplyCore(module)
  withCore(() => undefined)
}
