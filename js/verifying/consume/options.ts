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

/** Options of delivery and acknowledgement of a subscription. */
export interface ConsumeOptions {
  /**
   * Time at which a bundle is acknowledged: `'next'`, when the loop asks for the next bundle; `'manual'`, when the
   * loop calls `bundle.ack()`, in any order. At most `prefetch` messages are delivered without an acknowledgement.
   * Default `'next'`.
   */
  readonly ack?: 'next' | 'manual' | undefined
  /**
   * Deduplication: delivers each bundle once, as long as it is remembered. Default: a bundle may be delivered twice.
   * See {@link DedupOptions}.
   */
  readonly dedup?: DedupOptions | undefined
  /**
   * Stream for a dead letter of each message that does not verify, sent before the message is acknowledged:
   * {@link openDeadLetter} reads it. The subscription connects and closes the stream. If the stream fails, the loop
   * ends with its error, and the message is redelivered. If it refuses a dead letter for good (`STREAM_REFUSED`,
   * `STREAM_SUSPECT`), one without the message follows, and the loop goes on.
   */
  readonly deadLetter?: StreamProvider | undefined
  /**
   * Milliseconds for `deadLetter` to connect, and for each message. After that, `open()` rejects, or the loop ends,
   * with `STREAM_TIMEOUT`. Default `60_000`.
   */
  readonly deadLetterTimeoutMs?: number | undefined
  /** Milliseconds for which `close()` waits until all delivered bundles are settled. Default `5_000`. */
  readonly closeTimeoutMs?: number | undefined
  /** Signal that ends the iteration, like `close()`. */
  readonly signal?: AbortSignal | undefined
}

/** Schema of the options. The page of limits is generated from it. */
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

/** Names of the options. */
export const CONSUME_OPTIONS: readonly string[] = Object.keys(schema.entries)

/** Options with every default filled in. */
export type ConsumeSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readConsumeOptions(options: ConsumeOptions): ConsumeSettings {
  const { ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal } = options
  return readOptions(schema, { ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal })
}
