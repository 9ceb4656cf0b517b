import * as v from 'valibot'
import {
  integer,
  MAX_TIMEOUT_MS,
  readOptions,
  strict,
  withMethods,
} from '../../foundation/base/options/schema.js'
import type { StreamProvider } from '../../transport/streams/stream.js'
import type { DedupOptions, SeenStore } from './dedup.js'

/** Options for delivery and acknowledgement in a subscription. */
export interface ConsumeOptions {
  /**
   * Event that acknowledges a bundle: `'next'`, the loop asks for the next bundle; `'manual'`, the
   * application calls `bundle.ack()`, in any order. At most `prefetch` messages are delivered without an
   * acknowledgement. Default `'next'`.
   */
  readonly ack?: 'next' | 'manual' | undefined
  /** Deduplication of bundles by `id`; see {@link DedupOptions}. Default: a bundle may be delivered repeatedly. */
  readonly dedup?: DedupOptions | undefined
  /**
   * Stream for dead letters, which {@link openDeadLetter} reads. The subscription opens and closes the
   * stream. A message that does not verify is published there before it is acknowledged. If the stream fails,
   * the loop ends, and the message is redelivered. If the stream refuses a dead letter permanently
   * (`STREAM_REFUSED`, `STREAM_SUSPECT`), a dead letter without the message follows.
   */
  readonly deadLetter?: StreamProvider | undefined
  /**
   * Time limit in milliseconds for `deadLetter` to connect, and for each dead letter. When it is exceeded,
   * `open()` rejects or the loop ends with `STREAM_TIMEOUT`. Default `60_000`.
   */
  readonly deadLetterTimeoutMs?: number | undefined
  /** Milliseconds for which `close()` waits for delivered bundles to be settled. Default `5_000`. */
  readonly closeTimeoutMs?: number | undefined
  /** Signal that ends the loop, as `close()` does. */
  readonly signal?: AbortSignal | undefined
}

/** Valibot schema of {@link ConsumeOptions}. Exported because the docs list its limits. */
export const schema = strict({
  ack: v.optional(v.picklist(['next', 'manual'], 'next or manual'), 'next'),
  dedup: v.optional(
    strict({
      max: integer(1, 10_000_000, 100_000),
      ttlMs: integer(1, Number.MAX_SAFE_INTEGER, 3_600_000),
      timeoutMs: integer(1, MAX_TIMEOUT_MS, 10_000),
      store: v.optional(withMethods<SeenStore>('a store with has() and add()', 'has', 'add')),
    }),
  ),
  deadLetter: v.optional(withMethods<StreamProvider>('a stream with publish()', 'publish')),
  deadLetterTimeoutMs: integer(1, MAX_TIMEOUT_MS, 60_000),
  closeTimeoutMs: integer(1, MAX_TIMEOUT_MS, 5_000),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
})

export const CONSUME_OPTIONS: readonly string[] = Object.keys(schema.entries)

export type ConsumeSettings = v.InferOutput<typeof schema>

export function readConsumeOptions(options: ConsumeOptions): ConsumeSettings {
  return readOptions(schema, options)
}
