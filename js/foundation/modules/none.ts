// Implements `#core` under the condition `alvarium-wasm`, for applications that load the two `.wasm` files themselves.
// A pool's workers use this file, too, because they receive the modules from the pool.

import { needs } from '../base/errors.js'

export function core(): never {
  throw needs('core', 'useCore(…) to be called first with alvarium-sdk/core.wasm', 'CORE_UNAVAILABLE')
}

export function algorithms(): never {
  const requirement = 'useAlgorithms(…) to be called first with alvarium-sdk/algorithms.wasm'
  throw needs('algorithms', requirement, 'CORE_UNAVAILABLE')
}
