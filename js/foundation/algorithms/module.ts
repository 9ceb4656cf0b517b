import { algorithms } from '#core'
import { AlvariumError, expected } from '../base/errors.js'
import { compile, type WasmModule } from '../core/module.js'

export type Algorithms = Pick<
  typeof import('./generated/algorithms.js'),
  'readKeyPair' | 'generatedKeyPair' | 'pkcs8Of' | 'sign' | 'verifies' | 'recovered' | 'canonical'
>
export type AlgorithmsGlue = Algorithms &
  Pick<typeof import('./generated/algorithms.js'), 'initSync' | '__wbg_reset_state'>

let replacement: WasmModule | undefined
let glue: AlgorithmsGlue | undefined
let compiledModule: WebAssembly.Module | undefined

export async function loadFrom(module: WasmModule): Promise<void> {
  replacement = module
  compiledModule = undefined
  await load()
}

/** Sets the compiled module and its functions. A worker gets the module that its parent thread compiled. */
export function adoptModule(module: WebAssembly.Module, calls: AlgorithmsGlue): void {
  compiledModule = module
  glue = calls
}

export function loadedGlue(): AlgorithmsGlue | undefined {
  return glue
}

/** Returns the compiled module for this thread and its workers, or undefined before the module is loaded. */
export function algorithmsModule(): WebAssembly.Module | undefined {
  return compiledModule
}

/**
 * Implements `loadAlgorithms`. The public function is in a file without the type `WebAssembly`, which TypeScript knows
 * only with the types of the DOM or of a recent Node.
 */
export async function load(): Promise<void> {
  if (compiledModule) return
  try {
    const [module, calls] = await Promise.all([replacement ?? algorithms(), import('./glue.js')])
    if (!compiledModule) adoptModule(compile(module), calls)
  } catch (cause) {
    if (cause instanceof AlvariumError) throw cause
    throw unavailable('alvarium-sdk/algorithms.wasm to load', undefined, cause)
  }
}

/** @internal */
export function unavailable(expectation: string, got?: string, cause?: unknown): AlvariumError {
  return expected('CORE_UNAVAILABLE', 'algorithms', expectation, got, cause)
}
