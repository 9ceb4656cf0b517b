import * as v from 'valibot'
import { integer, readOptions, strict } from '../base/schema.js'

/** How a pool works. */
export interface PoolOptions {
  /** Workers, 1 to 256: about as many as there are cores. */
  readonly workers: number
  /** Most calls that are in the pool and not settled; one more gives `QUEUE_FULL`. Default 100,000. */
  readonly maxQueuedCalls?: number | undefined
  /** Most bytes of theirs; only a call that is alone may have more. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined
}

const WORKERS = 'an integer from 1 to 256'

const schema = strict({
  workers: v.pipe(v.number(WORKERS), v.integer(WORKERS), v.minValue(1, WORKERS), v.maxValue(256, WORKERS)),
  maxQueuedCalls: integer(1, Number.MAX_SAFE_INTEGER, 100_000),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * 1024 * 1024),
})

/** The options with their defaults filled in. */
export type PoolSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` */
export function readPoolOptions(options: PoolOptions): PoolSettings {
  return readOptions(schema, options, 'pool')
}
