import { ablation } from './ablation.mjs'
import { algorithms } from './algorithms.mjs'
import { annotators } from './annotators.mjs'
import { bars } from './bars.mjs'
import { batches } from './batches.mjs'
import { checkpoints } from './checkpoints.mjs'
import { connected } from './connected.mjs'
import { curve } from './curve.mjs'
import { hashing } from './hashing.mjs'
import { leases } from './leases.mjs'
import { inNative } from './native.mjs'
import { payload } from './payload.mjs'
import { pools } from './pool.mjs'
import { roundtrip } from './roundtrip.mjs'
import { serialization } from './serialization.mjs'
import { signing } from './signing.mjs'
import { sources } from './sources.mjs'
import { store } from './store.mjs'
import { trust } from './trust.mjs'
import { wire } from './wire.mjs'

/** Suites in the order in which they run. @type {readonly import('./suite.mjs').Suite[]} */
export const SUITES = [
  annotators,
  payload,
  ablation,
  bars,
  inNative,
  batches,
  hashing,
  sources,
  curve,
  signing,
  trust,
  leases,
  checkpoints,
  algorithms,
  pools,
  serialization,
  connected,
  roundtrip,
  wire,
  store,
]
