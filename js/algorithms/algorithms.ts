import { expected, textOf } from '../base/errors.js'
import { type Algorithms, type AlgorithmsGlue, algorithmsModule, loadedGlue, unavailable } from './module.js'

let running: WebAssembly.Module | undefined
/** Whether every call so far has come back. */
let isSound = false

/**
 * Runs `use` on the module, which keeps nothing between calls and throws nothing: whatever is thrown is its end half-way,
 * and the next call gets a fresh instance.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when it has not been loaded, `CORE_FAILED` when the call ended half-way
 */
export function withAlgorithms<T>(use: (algorithms: Algorithms) => T): T {
  const glue = started()
  // Said before anything is called: at the end of the stack nothing can be.
  isSound = false
  try {
    const result = use(glue)
    isSound = true
    return result
  } catch (cause) {
    const got = `a trap (${textOf(cause)}); they start again`
    throw expected('CORE_FAILED', 'algorithms', 'to go on', got, cause)
  }
}

function started(): AlgorithmsGlue {
  const [module, glue] = [algorithmsModule(), loadedGlue()]
  if (isSound && glue) return glue
  if (!module || !glue)
    throw unavailable(
      'await loadAlgorithms() before a private or public key needs them here',
      'a call without',
    )
  try {
    // What has been running may have a key in its memory.
    const { memory } = glue.initSync({ module })
    if (running) {
      new Uint8Array(memory.buffer).fill(0)
      glue.__wbg_reset_state()
    }
  } catch (cause) {
    throw unavailable('WebAssembly to run them', undefined, cause)
  }
  running = module
  return glue
}
