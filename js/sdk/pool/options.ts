import * as v from 'valibot'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import type { AnyWorker } from '../../foundation/platform/workers.js'

/** Settings of a pool: number and source of the workers, and limits. */
export interface PoolOptions {
  /** Number of workers, 1 to 256. Use about as many as there are cores. */
  readonly workers: number
  /**
   * Source of the workers: the URL (in Node also the path) of the file `alvarium-sdk/pool/worker`, wherever
   * you or your bundler have put that file. A function that starts a worker with the file works too. The file
   * has no imports, and is both a script and a module.
   *
   * Default: the file next to this module. Most bundlers leave the file out. The workers are then started
   * from its text, in browsers by a `blob:` URL, which a Content-Security-Policy may forbid.
   */
  readonly worker?: string | { readonly href: string } | (() => AnyWorker) | undefined
  /** Maximum number of unsettled calls in the pool. Further ones reject with `QUEUE_FULL`. Default 100,000. */
  readonly maxQueuedCalls?: number | undefined
  /**
   * Maximum total bytes of unsettled calls in the pool. A larger call is accepted only while the pool has no
   * other calls. Default 64 MiB.
   */
  readonly maxQueuedBytes?: number | undefined
}

const WORKERS = 'an integer from 1 to 256'
const WORKER = 'a URL or a function that starts a worker'

/** Valibot schema of {@link PoolOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  workers: v.pipe(v.number(WORKERS), v.integer(WORKERS), v.minValue(1, WORKERS), v.maxValue(256, WORKERS)),
  worker: v.optional(
    v.union(
      [
        v.custom<string>((value) => typeof value === 'string' && value !== ''),
        v.custom<{ readonly href: string }>(isUrl),
        v.custom<() => AnyWorker>((value) => typeof value === 'function'),
      ],
      WORKER,
    ),
  ),
  maxQueuedCalls: integer(1, Number.MAX_SAFE_INTEGER, 100_000),
  maxQueuedBytes: integer(1, Number.MAX_SAFE_INTEGER, 64 * 1024 * 1024),
})

/** Returns whether a value is a `URL`, also one from another realm. */
function isUrl(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'href' in value && typeof value.href === 'string'
}

export type PoolSettings = v.InferOutput<typeof schema>

export function readPoolOptions(options: PoolOptions): PoolSettings {
  return readOptions(schema, options, 'pool')
}
