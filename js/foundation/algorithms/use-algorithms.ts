import { assertModule } from '../core/module.js'
import { loadFrom } from './module.js'

/**
 * Loads ECDSA and SM2 from `alvarium-sdk/algorithms.wasm`, which must have the version of this package. Call it once,
 * before the first ECDSA or SM2 key, in a bundle built with the import condition `alvarium-wasm`.
 *
 * @param module - the file's bytes, or a compiled `WebAssembly.Module` (typed `object`, so that the types need no DOM)
 * @throws TypeError when `module` is neither bytes nor a `WebAssembly.Module`
 * @throws AlvariumError `CORE_UNAVAILABLE` when WebAssembly may not run here
 *
 * @example
 * ```ts
 * import { useAlgorithms } from 'alvarium-sdk/core'
 * import url from 'alvarium-sdk/algorithms.wasm?url' // as Vite has it
 *
 * await useAlgorithms(await WebAssembly.compileStreaming(fetch(url)))
 * ```
 */
export async function useAlgorithms(module: ArrayBuffer | ArrayBufferView | object): Promise<void> {
  assertModule(module)
  await loadFrom(module)
}
