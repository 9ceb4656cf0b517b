// `#core` under the condition `alvarium-wasm`, for bundles whose application loads the two `.wasm` files itself. Also
// `#core` in a pool's workers, which receive them from the pool.

import { expected } from '../base/errors.js'

/**
 * Refuses: the application must call `useCore` first.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` always
 */
export function core(): never {
  const what = 'useCore(…) to be called first with alvarium-sdk/core.wasm'
  throw expected('CORE_UNAVAILABLE', 'core', what, 'nothing')
}

/**
 * Refuses: the application must call `useAlgorithms` first.
 *
 * @throws AlvariumError `CORE_UNAVAILABLE` always
 */
export function algorithms(): never {
  const what = 'useAlgorithms(…) to be called first with alvarium-sdk/algorithms.wasm'
  throw expected('CORE_UNAVAILABLE', 'algorithms', what, 'nothing')
}
