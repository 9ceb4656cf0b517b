import { AlvariumError, describe } from '../base/errors.js'

/** A module before it runs: the bytes of `core.wasm`, or what `WebAssembly.compile` makes of them. */
export type WasmModule = BufferSource | WebAssembly.Module

let supply: (() => WasmModule) | undefined
let compiled: WebAssembly.Module | undefined
/** Whether what is supplied lacks what signs. */
let isPart = false
/** True once the application has chosen a core, whose place no other takes. */
let isChosen = false
let replaced = () => {}

/** Says where the module is to be had. It is not asked for before the core is used. */
export function supplyCore(from: () => WasmModule): void {
  if (isChosen) return
  supply = from
  compiled = undefined
  if (isPart) replaced()
  isPart = false
}

/** The same for a module that only verifies. A page may have both: then it gives way to the whole one. */
export function supplyPartOfCore(from: () => WasmModule): void {
  if (supply) return
  supply = from
  isPart = true
}

/** Supplies a core that takes the place of any other, whichever is supplied first. */
export function chooseCore(from: () => WasmModule): void {
  if (supply) replaced()
  supplyCore(from)
  isChosen = true
}

/** Says what to do when a whole core takes the place of a part. */
export function onReplaced(what: () => void): void {
  replaced = what
}

/**
 * The module, compiled once: for this thread's instances and for workers.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when nobody has supplied one
 * @throws WebAssembly.CompileError when it is none, or WebAssembly may not run here
 */
export function coreModule(): WebAssembly.Module {
  compiled ??= compile(supplied())
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

function supplied(): WasmModule {
  if (supply === undefined) {
    const text =
      'core: expected alvarium-sdk/core to be imported, or useCore(…) to be called with core.wasm, got neither'
    throw new AlvariumError('CORE_UNAVAILABLE', text)
  }
  return supply()
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
