import { withCore } from './core.js'
import { assertModule, supplyCore } from './module.js'

/**
 * Starts the core from `alvarium-sdk/core.wasm`, which must have the version of this package. Call it once,
 * before all other calls, in a bundle built with the import condition `alvarium-wasm`. That bundle is
 * smaller, because other bundles contain the file in base64. A core that already runs is not replaced.
 *
 * @param module - the file's bytes, or a compiled `WebAssembly.Module` (typed `object`, so that the types need no DOM)
 * @throws TypeError when `module` is neither bytes nor a `WebAssembly.Module`
 * @throws AlvariumError `CORE_UNAVAILABLE` when `module` is not the core, or WebAssembly may not run here
 *
 * @example
 * ```ts
 * import { useCore } from 'alvarium-sdk/core'
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
