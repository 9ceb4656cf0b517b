import { algorithms } from '#core'
import { AlvariumError, expected } from '../base/errors.js'
import { compile, type WasmModule } from '../core/module.js'

/** What the module of crate/algorithms does. */
export type Algorithms = Pick<
  typeof import('./generated/algorithms.js'),
  'readKeyPair' | 'generatedKeyPair' | 'pkcs8Of' | 'sign' | 'verifies' | 'recovered' | 'canonical'
>
/** The same, and what starts it. */
export type AlgorithmsGlue = Algorithms &
  Pick<typeof import('./generated/algorithms.js'), 'initSync' | '__wbg_reset_state'>

let replacement: WasmModule | undefined
let glue: AlgorithmsGlue | undefined
let compiled: WebAssembly.Module | undefined

/** Loads this module, in place of the one that the package has. */
export async function loadFrom(module: WasmModule): Promise<void> {
  replacement = module
  compiled = undefined
  await load()
}

/** Takes the module that another thread has loaded and compiled. */
export function takeCompiled(module: WebAssembly.Module, calls: AlgorithmsGlue): void {
  compiled = module
  glue = calls
}

/** Returns the calls of the module, undefined until it has been loaded. */
export function loadedGlue(): AlgorithmsGlue | undefined {
  return glue
}

/** The module, compiled, for this thread's instance and for workers; undefined until it has been loaded. */
export function algorithmsModule(): WebAssembly.Module | undefined {
  return compiled
}

/**
 * Works as `loadAlgorithms`, which has a file of its own: TypeScript knows no `WebAssembly` where there are neither the DOM's types nor
 * new ones of Node.
 */
export async function load(): Promise<void> {
  if (compiled) return
  try {
    const [module, calls] = await Promise.all([replacement ?? algorithms(), import('./glue.js')])
    if (!compiled) takeCompiled(compile(module), calls)
  } catch (cause) {
    if (cause instanceof AlvariumError) throw cause
    throw unavailable('their module to be loaded', undefined, cause)
  }
}

/** @internal */
export function unavailable(what: string, got?: string, cause?: unknown): AlvariumError {
  return expected('CORE_UNAVAILABLE', 'algorithms', what, got, cause)
}
