import * as v from 'valibot'
import { integer, readOptions, strict } from '../base/options/schema.js'
import type { AnyWorker } from '../platform/workers.js'

/** Options of `pool`. */
export interface PoolOptions {
  /** Workers, 1 to 256: about as many as there are cores. */
  readonly workers: number
  /**
   * Where the workers come from: the URL (in Node also the path) of `alvarium-sdk/pool/worker`, wherever you or your bundler
   * have put that file, or a function that starts a worker on it. It is one file without imports, a script and a module.
   *
   * Without it the file is looked for beside this module, and if it is not there (most bundlers leave it behind), the
   * workers are started from its text: in browsers by a `blob:` URL, which a Content-Security-Policy may forbid.
   */
  readonly worker?: string | { readonly href: string } | (() => AnyWorker) | undefined
  /** Most calls that are in the pool and not settled; one more gives `QUEUE_FULL`. Default 100,000. */
  readonly maxQueuedCalls?: number | undefined
  /** Most bytes of theirs; only a call that is alone may have more. Default 64 MiB. */
  readonly maxQueuedBytes?: number | undefined
}

const WORKERS = 'an integer from 1 to 256'
const WORKER = 'a URL or a function that starts a worker'

/** The page of limits shows it. */
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

/** A `URL`, of whatever realm. */
function isUrl(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'href' in value && typeof value.href === 'string'
}

/** The options with their defaults filled in. */
export type PoolSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` */
export function readPoolOptions(options: PoolOptions): PoolSettings {
  return readOptions(schema, options, 'pool')
}
