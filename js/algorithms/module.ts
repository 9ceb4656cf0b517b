import { type AlvariumError, expected } from '../base/errors.js'
import { compile, type WasmModule } from '../core/module.js'

/** What the module of crate/algorithms does. */
export type Algorithms = Pick<
  typeof import('./generated/algorithms.js'),
  'readKeyPair' | 'generatedKeyPair' | 'pkcs8Of' | 'sign' | 'verifies' | 'recovered' | 'canonical'
>
/** The same, and what starts it. */
export type AlgorithmsGlue = Algorithms &
  Pick<typeof import('./generated/algorithms.js'), 'initSync' | '__wbg_reset_state'>

let glue: AlgorithmsGlue | undefined
let supply: (() => WasmModule | Promise<WasmModule>) | undefined
let compiled: WebAssembly.Module | undefined

/** As `supplyAlgorithms` of supply.ts. */
export function supplyFrom(from: () => WasmModule | Promise<WasmModule>, its: AlgorithmsGlue): void {
  supply = from
  compiled = undefined
  glue = its
}

/** As `takeAlgorithms` of supply.ts. */
export function take(module: WebAssembly.Module, its: AlgorithmsGlue): void {
  compiled = module
  glue = its
}

/** What calls the module; nothing where nobody has supplied one. */
export function givenGlue(): AlgorithmsGlue | undefined {
  return glue
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
