import { core } from '#core'
import { describe } from '../base/errors.js'

/** WebAssembly module before instantiation: the bytes of `core.wasm`, or the result of `WebAssembly.compile`. */
export type WasmModule = BufferSource | WebAssembly.Module

let replacement: (() => WasmModule) | undefined
let compiledCore: WebAssembly.Module | undefined
/** True once the application has chosen a core, which no other may replace. */
let isChosen = false
let dropInstance = () => {}

/** Replaces the package's own module. A running core stays. */
export function supplyCore(module: WasmModule): void {
  if (isChosen) return
  replacement = () => module
  compiledCore = undefined
}

/** Replaces any other module, including the one that runs, whose objects are lost. */
export function chooseCore(from: () => WasmModule): void {
  replacement = from
  compiledCore = undefined
  isChosen = true
  dropInstance()
}

/** Registers the action for when a running core is replaced. */
export function onReplacement(act: () => void): void {
  dropInstance = act
}

/**
 * Returns the module, compiled once, for this thread's instances and for workers.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when a bundle contains no module
 * @throws WebAssembly.CompileError when the bytes are no module, or WebAssembly may not run here
 */
export function coreModule(): WebAssembly.Module {
  compiledCore ??= compile(replacement?.() ?? core())
  return compiledCore
}

/**
 * Compiles a module from its bytes; returns a compiled one unchanged.
 *
 * @throws WebAssembly.CompileError when the bytes are no module, or WebAssembly may not run here
 */
export function compile(module: WasmModule): WebAssembly.Module {
  return isCompiled(module) ? module : new WebAssembly.Module(module)
}

/** Returns whether a value is a compiled module of any realm: only a module has exports to list. */
function isCompiled(value: unknown): value is WebAssembly.Module {
  try {
    WebAssembly.Module.exports(value as WebAssembly.Module)
    return true
  } catch {
    return false
  }
}

/**
 * Checks that a value is a module.
 *
 * @throws TypeError when `module` is neither bytes nor compiled, for example a promise of either, or a `Response`
 */
export function assertModule(module: unknown): asserts module is WasmModule {
  if (isBuffer(module) || ArrayBuffer.isView(module) || isCompiled(module)) return
  throw new TypeError(`module: expected bytes or a WebAssembly.Module, got ${describe(module)}`)
}

const byteLengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get

/** Returns whether a value is an ArrayBuffer of any realm: this getter throws for all other values. */
function isBuffer(value: unknown): value is ArrayBuffer {
  try {
    return byteLengthOf?.call(value) !== undefined
  } catch {
    return false
  }
}
