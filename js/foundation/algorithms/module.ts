import { algorithms } from '#core'
import { AlvariumError, expected } from '../base/errors.js'
import { compile, type WasmModule } from '../core/module.js'

/** Functions of crate/algorithms. */
export type Algorithms = Pick<
  typeof import('./generated/algorithms.js'),
  'readKeyPair' | 'generatedKeyPair' | 'pkcs8Of' | 'sign' | 'verifies' | 'recovered' | 'canonical'
>
/** Functions of crate/algorithms, and the functions that start its module. */
export type AlgorithmsGlue = Algorithms &
  Pick<typeof import('./generated/algorithms.js'), 'initSync' | '__wbg_reset_state'>

let replacement: WasmModule | undefined
let glue: AlgorithmsGlue | undefined
let compiledModule: WebAssembly.Module | undefined

/** Loads this module in place of the package's own. */
export async function loadFrom(module: WasmModule): Promise<void> {
  replacement = module
  compiledModule = undefined
  await load()
}

/** Takes over the module that another thread has loaded and compiled. */
export function adoptModule(module: WebAssembly.Module, calls: AlgorithmsGlue): void {
  compiledModule = module
  glue = calls
}

/** Returns the calls of the module, undefined until it has been loaded. */
export function loadedGlue(): AlgorithmsGlue | undefined {
  return glue
}

/** Returns the compiled module, for this thread's instance and for workers; undefined until it has been loaded. */
export function algorithmsModule(): WebAssembly.Module | undefined {
  return compiledModule
}

/**
 * Implements `loadAlgorithms`. That function has a file of its own, because TypeScript does not know the name
 * `WebAssembly` without the DOM's types or recent ones of Node.
 */
export async function load(): Promise<void> {
  if (compiledModule) return
  try {
    const [module, calls] = await Promise.all([replacement ?? algorithms(), import('./glue.js')])
    if (!compiledModule) adoptModule(compile(module), calls)
  } catch (cause) {
    if (cause instanceof AlvariumError) throw cause
    throw unavailable('their module to be loaded', undefined, cause)
  }
}

/** @internal */
export function unavailable(what: string, got?: string, cause?: unknown): AlvariumError {
  return expected('CORE_UNAVAILABLE', 'algorithms', what, got, cause)
}
