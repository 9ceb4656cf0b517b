import { AlvariumError, needs, textOf } from '../base/errors.js'
import { type Algorithms, type AlgorithmsGlue, algorithmsModule, loadedGlue, unavailable } from './module.js'

let lastModule: WebAssembly.Module | undefined
/** True if the module has been started, no call is in progress, and the last call did not throw. */
let isSound = false

/**
 * Calls `use` with the WebAssembly module of ECDSA and SM2. After any exception, the next call starts a new
 * instance, because an exception means that the call stopped half-way: the module throws no errors of its
 * own.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` when the module is not loaded, `CORE_FAILED` when the call stopped half-way
 */
export function withAlgorithms<T>(use: (algorithms: Algorithms) => T): T {
  const glue = start()
  // Clear the flag before the call, because if the call exhausts the stack, code after the call may not run.
  isSound = false
  try {
    const result = use(glue)
    isSound = true
    return result
  } catch (cause) {
    const text = `algorithms: the WebAssembly module crashed (${textOf(cause)}), and starts again at the next call`
    throw new AlvariumError('CORE_FAILED', text, { cause })
  }
}

function start(): AlgorithmsGlue {
  const [module, glue] = [algorithmsModule(), loadedGlue()]
  if (isSound && glue) return glue
  if (!module || !glue)
    throw needs(
      'algorithms',
      'await loadAlgorithms() before the first use of a P-256, secp256k1 or SM2 key',
      'CORE_UNAVAILABLE',
    )
  try {
    // Wipe the memory of the previous instance, because it may hold a private key.
    const { memory } = glue.initSync({ module })
    if (lastModule) {
      new Uint8Array(memory.buffer).fill(0)
      glue.__wbg_reset_state()
    }
  } catch (cause) {
    throw unavailable('a runtime that runs WebAssembly', undefined, cause)
  }
  lastModule = module
  return glue
}
