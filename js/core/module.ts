import { core } from '#core'
import { describe } from '../base/errors.js'

/** A module before it runs: the bytes of `core.wasm`, or what `WebAssembly.compile` makes of them. */
export type WasmModule = BufferSource | WebAssembly.Module

let replacement: (() => WasmModule) | undefined
let compiled: WebAssembly.Module | undefined
/** True once the application has chosen a core, whose place no other takes. */
let isChosen = false
let replaced = () => {}

/** Takes this module in place of the one that the package has. A core that runs stays. */
export function supplyCore(module: WasmModule): void {
  if (isChosen) return
  replacement = () => module
  compiled = undefined
}

/** Takes this module in place of any other, also of one that runs: its objects are lost. */
export function chooseCore(from: () => WasmModule): void {
  replacement = from
  compiled = undefined
  isChosen = true
  replaced()
}

/** Says what to do when a core takes the place of one that runs. */
export function onReplaced(act: () => void): void {
  replaced = act
}

/**
 * The module, compiled once: for this thread's instances and for workers.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when a bundle has none
 * @throws WebAssembly.CompileError when it is none, or WebAssembly may not run here
 */
export function coreModule(): WebAssembly.Module {
  compiled ??= compile(replacement?.() ?? core())
  return compiled
}

/** @throws WebAssembly.CompileError when it is none, or WebAssembly may not run here */
export function compile(module: WasmModule): WebAssembly.Module {
  return isCompiled(module) ? module : new WebAssembly.Module(module)
}

/** A module of any realm: only of such can the exports be told. */
function isCompiled(value: unknown): value is WebAssembly.Module {
  try {
    WebAssembly.Module.exports(value as WebAssembly.Module)
    return true
  } catch {
    return false
  }
}

/** @throws TypeError when `module` is neither bytes nor compiled: a promise of either, or a `Response` */
export function assertModule(module: unknown): asserts module is WasmModule {
  if (isBuffer(module) || ArrayBuffer.isView(module) || isCompiled(module)) return
  throw new TypeError(`module: expected bytes or a WebAssembly.Module, got ${describe(module)}`)
}

const byteLengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get

/** An ArrayBuffer of any realm: only they have this one's length. */
function isBuffer(value: unknown): value is ArrayBuffer {
  try {
    return byteLengthOf?.call(value) !== undefined
  } catch {
    return false
  }
}
