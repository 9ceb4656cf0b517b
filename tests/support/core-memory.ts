// @internal: the package shows nobody the memory of its modules, and lets nobody make them fail
import { keyOf } from 'alvarium-sdk'
import { withAlgorithms } from '../../dist/foundation/algorithms/algorithms.js'
import { initSync as initAlgorithms } from '../../dist/foundation/algorithms/generated/algorithms.js'
import { withCore } from '../../dist/foundation/core/core.js'
import { initSync } from '../../dist/foundation/core/generated/core.js'

/**
 * Returns the core's linear memory, which never shrinks. The package hides its core, but the generated code below it
 * returns the running instance.
 */
export function coreMemory(): WebAssembly.Memory {
  keyOf(new Uint8Array())
  return initSync({ module: new Uint8Array() }).memory
}

/** Returns the core's memory without a call of the core, which would write over the stack. */
export function coreBuffer(): ArrayBuffer {
  return initSync(undefined as never).memory.buffer as ArrayBuffer
}

/** Returns the memory of the module for other keys than Ed25519; undefined before one is used. */
export function algorithmsMemory(): WebAssembly.Memory | undefined {
  try {
    return initAlgorithms(undefined as never).memory
  } catch {
    return undefined
  }
}

/** Traps the core, and returns the error of the call that did. */
export function trapCore(): unknown {
  return thrownBy(() =>
    withCore(() => {
      throw new WebAssembly.RuntimeError('unreachable')
    }),
  )
}

/** Exhausts the stack in a call of the algorithms, and returns its error. */
export function exhaustAlgorithms(): unknown {
  const overflow = (): number => 1 + overflow()
  return thrownBy(() => withAlgorithms(overflow))
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
