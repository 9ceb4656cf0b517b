import { type AlvariumError, expected } from '../base/errors.js'
import { compile, type WasmModule } from '../core/module.js'

let supply: (() => WasmModule | Promise<WasmModule>) | undefined
let compiled: WebAssembly.Module | undefined

/** Says where the module is to be had. It is not asked for before a key needs it. */
export function supplyAlgorithms(from: () => WasmModule | Promise<WasmModule>): void {
  supply = from
  compiled = undefined
}

/** Takes the module compiled, where somebody else has loaded it. */
export function takeAlgorithms(module: WebAssembly.Module): void {
  compiled = module
}

/** The module, compiled, for this thread's instance and for workers; undefined until it has been loaded. */
export function algorithmsModule(): WebAssembly.Module | undefined {
  return compiled
}

/** As `loadAlgorithms`, which is apart: TypeScript knows no `WebAssembly` where there are neither the DOM's types nor new ones of Node. */
export async function load(): Promise<void> {
  if (compiled) return
  if (!supply)
    throw unavailable('useAlgorithms(…) to be called first with alvarium-sdk/algorithms.wasm', 'nothing')
  try {
    const module = compile(await supply())
    compiled ??= module
  } catch (cause) {
    throw unavailable('their module to be loaded', undefined, cause)
  }
}

/** @internal */
export function unavailable(what: string, got?: string, cause?: unknown): AlvariumError {
  return expected('CORE_UNAVAILABLE', 'algorithms', what, got, cause)
}
