import * as v from 'valibot'
import { integer, LONGEST_TIMEOUT, readOptions, strict, withMethods } from '../base/options/schema.js'
import type { StreamProvider } from '../streams/stream.js'
import type { DedupOptions, SeenStore } from './dedup.js'

/** Options of delivery and acknowledgement of a subscription. */
export interface ConsumeOptions {
  /**
   * When a bundle is acknowledged: `'next'`, when the loop asks for the one after it; `'manual'`, when the loop calls
   * `bundle.ack()`, in whatever order. At most `prefetch` messages are then delivered before one is acknowledged. Default `'next'`.
   */
  readonly ack?: 'next' | 'manual' | undefined
  /** Delivers each bundle once, as far as it is remembered. Default: no; then a bundle may come twice. See {@link DedupOptions}. */
  readonly dedup?: DedupOptions | undefined
  /**
   * Gets a dead letter of each message that does not verify, before that is acknowledged: {@link openDeadLetter} reads it. The subscription
   * connects the stream and closes it. If the stream fails, the loop ends with its error, and the message is redelivered. A message that it refuses for
   * good (`STREAM_REFUSED`, `STREAM_SUSPECT`) follows without the message, and ends no loop.
   */
  readonly deadLetter?: StreamProvider | undefined
  /** Milliseconds that `deadLetter` may take to connect, and for each message; then `open()` rejects, or the loop ends, with `STREAM_TIMEOUT`. Default `60_000`. */
  readonly deadLetterTimeoutMs?: number | undefined
  /** Milliseconds that `close()` waits until what was delivered is settled. Default `5_000`. */
  readonly closeTimeoutMs?: number | undefined
  /** Ends the iteration, as `close()` does. */
  readonly signal?: AbortSignal | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  ack: v.optional(v.picklist(['next', 'manual'], 'next or manual'), 'next'),
  dedup: v.optional(
    strict({
      max: integer(1, 10_000_000, 100_000),
      ttlMs: integer(1, Number.MAX_SAFE_INTEGER, 3_600_000),
      timeoutMs: integer(1, LONGEST_TIMEOUT, 10_000),
      store: v.optional(withMethods<SeenStore>('a store with has() and add()', 'has', 'add')),
    }),
  ),
  deadLetter: v.optional(withMethods<StreamProvider>('a stream with publish()', 'publish')),
  deadLetterTimeoutMs: integer(1, LONGEST_TIMEOUT, 60_000),
  closeTimeoutMs: integer(1, LONGEST_TIMEOUT, 5_000),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
})

/** What they are called. */
export const CONSUME_OPTIONS: readonly string[] = Object.keys(schema.entries)

/** What the options say, with every default filled in. */
export type ConsumeSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readConsumeOptions(options: ConsumeOptions): ConsumeSettings {
  const { ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal } = options
  return readOptions(schema, { ack, dedup, deadLetter, deadLetterTimeoutMs, closeTimeoutMs, signal })
}
