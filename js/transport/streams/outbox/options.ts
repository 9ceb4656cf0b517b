import * as v from 'valibot'
import {
  hasMethods,
  integer,
  MAX_TIMEOUT_MS,
  readOptions,
  strict,
  withMethods,
} from '../../../foundation/base/options/schema.js'
import type { StreamProvider } from '../stream.js'
import type { OutboxStore } from './store.js'

/** Stream, store and limits of an {@link outbox}. */
export interface OutboxOptions {
  /** Stream that delivers the stored messages, such as `mqtt(…)`. The outbox connects and closes it. */
  readonly stream: StreamProvider
  /**
   * Store of the messages. In Node, pass the path of a folder, which the outbox creates if necessary. In
   * browsers, pass the name of a database of the page's origin. You can also pass your own store.
   */
  readonly store: string | OutboxStore
  /**
   * Maximum number of stored bytes. Messages that are set aside count too, and each message has about 75
   * bytes of overhead, or 160 with a `traceparent`. A folder can use 5 MiB more on the disk. Default
   * `268_435_456` (256 MiB).
   */
  readonly maxBytes?: number | undefined
  /**
   * Milliseconds after which the outbox drops an undelivered message, even if the stream has not answered
   * yet. It never drops messages that are set aside. Setting the machine's clock changes the age of messages
   * only while no process has the outbox open. Default: never.
   */
  readonly maxAgeMs?: number | undefined
  /**
   * Action when `maxBytes` are stored. `reject`: further calls reject with `QUEUE_FULL`. `drop-oldest`: the
   * outbox drops the oldest messages. It rejects only a message for which the messages that are set aside
   * leave no room. Default `reject`.
   */
  readonly whenFull?: 'reject' | 'drop-oldest' | undefined
  /**
   * Action for a message that the stream rejects with `STREAM_REFUSED`, for example because it is too large
   * for the broker. `drop`: the outbox drops the message. `keep`: the outbox resends it until it is accepted
   * or too old, and newer messages may overtake it. The outbox drops no message because of any other error.
   * Default `drop`.
   */
  readonly whenRefused?: 'drop' | 'keep' | undefined
  /** Maximum number of messages in flight to the stream, 1 to 65,535. Default `64`, as for `mqtt`. */
  readonly maxInFlight?: number | undefined
  /**
   * Milliseconds that the outbox waits for the stream's answer to one message before it resends the message.
   * A late acceptance still counts. The value must exceed the stream's own timeout (`publishTimeoutMs` of
   * `mqtt`), or the outbox sends messages twice. Default `300_000` (five minutes).
   */
  readonly streamTimeoutMs?: number | undefined
  /**
   * Maximum milliseconds that `close()` continues to send stored messages. Unsent messages remain stored until
   * the next start. The same limit applies to closing the stream, to deleting delivered messages, and to closing
   * the store. In total, `close()` takes at most four times this value, or five times if it is called during
   * `connect()`. Default `5_000`.
   */
  readonly closeTimeoutMs?: number | undefined
}

/** Valibot schema of {@link OutboxOptions}, exported for the documentation page of limits. */
export const schema = strict({
  stream: withMethods<StreamProvider>('a stream with publish()', 'publish'),
  store: v.custom<string | OutboxStore>(
    (value) =>
      (typeof value === 'string' && value !== '') ||
      hasMethods(value, 'open', 'append', 'read', 'deleteThrough', 'close'),
    'the name of a place, or a store with open(), append(), read(), deleteThrough() and close()',
  ),
  maxBytes: integer(1, Number.MAX_SAFE_INTEGER, 256 * 1024 * 1024),
  maxAgeMs: integer(1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  whenFull: v.optional(v.picklist(['reject', 'drop-oldest'], 'reject or drop-oldest'), 'reject'),
  whenRefused: v.optional(v.picklist(['drop', 'keep'], 'drop or keep'), 'drop'),
  maxInFlight: integer(1, 65_535, 64),
  streamTimeoutMs: integer(1, MAX_TIMEOUT_MS, 300_000),
  closeTimeoutMs: integer(1, MAX_TIMEOUT_MS, 5000),
})

export type OutboxSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` that names the first invalid option */
export function readOutboxOptions(options: OutboxOptions): OutboxSettings {
  return readOptions(schema, options, 'outbox')
}
