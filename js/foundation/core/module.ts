import { core } from '#core'
import { describe } from '../base/errors.js'

/**
 * WebAssembly module before instantiation: the bytes of a `.wasm` file, or the result of
 * `WebAssembly.compile`.
 */
export type WasmModule = BufferSource | WebAssembly.Module

let replacement: (() => WasmModule) | undefined
let compiledCore: WebAssembly.Module | undefined
/** True after the application has chosen a core. No other module may then replace it. */
let isChosen = false
let dropInstance = () => {}

/**
 * Sets the core's module in place of the package's own, unless the application chose one. Does not replace a
 * running core.
 */
export function supplyCore(module: WasmModule): void {
  if (isChosen) return
  replacement = () => module
  compiledCore = undefined
}

/** Sets the module that replaces every other module. A running core is dropped, and its objects are lost. */
export function chooseCore(from: () => WasmModule): void {
  replacement = from
  compiledCore = undefined
  isChosen = true
  dropInstance()
}

/** Registers the function that drops a running core when another one is chosen. */
export function onReplacement(act: () => void): void {
  dropInstance = act
}

/**
 * Returns the core's module, compiled once, for the instances in this thread and in workers.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when a bundle contains no module
 * @throws WebAssembly.CompileError when the bytes are not a module, or WebAssembly may not run here
 */
export function coreModule(): WebAssembly.Module {
  compiledCore ??= compile(replacement?.() ?? core())
  return compiledCore
}

/**
 * Compiles a module from its bytes. Returns a compiled module unchanged.
 *
 * @throws WebAssembly.CompileError when the bytes are not a module, or WebAssembly may not run here
 */
export function compile(module: WasmModule): WebAssembly.Module {
  return isCompiled(module) ? module : new WebAssembly.Module(module)
}

/** Returns whether a value is a compiled module of any realm. `Module.exports` throws for all other values. */
function isCompiled(value: unknown): value is WebAssembly.Module {
  try {
    WebAssembly.Module.exports(value as WebAssembly.Module)
    return true
  } catch {
    return false
  }
}

/**
 * Asserts that a value is a WebAssembly module or its bytes.
 *
 * @throws TypeError for any other value, for example a promise or a `Response`
 */
export function assertModule(module: unknown): asserts module is WasmModule {
  if (isBuffer(module) || ArrayBuffer.isView(module) || isCompiled(module)) return
  throw new TypeError(`module: expected bytes or a WebAssembly.Module, got ${describe(module)}`)
}

const byteLengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get

/** Returns whether a value is an ArrayBuffer of any realm. The getter of `byteLength` throws for all other values. */
function isBuffer(value: unknown): value is ArrayBuffer {
  try {
    return byteLengthOf?.call(value) !== undefined
  } catch {
    return false
  }
}
