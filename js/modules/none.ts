// `#core` under the condition `alvarium-wasm`, for bundles whose application loads the two `.wasm` files itself; and in a pool's workers,
// to which the pool passes them.

import { AlvariumError } from '../base/errors.js'

/** @throws AlvariumError `CORE_UNAVAILABLE` always */
export function core(): never {
  throw missing('core: expected useCore(…) to be called first with alvarium-sdk/core.wasm')
}

/** @throws AlvariumError `CORE_UNAVAILABLE` always */
export function algorithms(): never {
  throw missing('algorithms: expected useAlgorithms(…) to be called first with alvarium-sdk/algorithms.wasm')
}

function missing(text: string): AlvariumError {
  return new AlvariumError('CORE_UNAVAILABLE', `${text}, got nothing`)
}
