// Implements `#core` under the condition `alvarium-wasm`, for applications that load the two `.wasm` files themselves.
// A pool's workers use this file, too, because they receive the modules from the pool.

import { expected } from '../base/errors.js'

/**
 * Throws, because the application must call `useCore` first.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` always
 */
export function core(): never {
  const what = 'useCore(…) to be called first with alvarium-sdk/core.wasm'
  throw expected('CORE_UNAVAILABLE', 'core', what, 'nothing')
}

/**
 * Throws, because the application must call `useAlgorithms` first.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` always
 */
export function algorithms(): never {
  const what = 'useAlgorithms(…) to be called first with alvarium-sdk/algorithms.wasm'
  throw expected('CORE_UNAVAILABLE', 'algorithms', what, 'nothing')
}
