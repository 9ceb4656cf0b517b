import { keyOf } from 'alvarium-sdk'
import { initSync } from '../../dist/core/generated/core.js'

/**
 * The core's linear memory, which never shrinks. The package hides its core; the generated code underneath hands
 * out the instance that is running.
 */
export function coreMemory(): WebAssembly.Memory {
  keyOf(new Uint8Array())
  return initSync({ module: new Uint8Array() }).memory
}
