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

/** Options of {@link outbox}. */
export interface OutboxOptions {
  /** Stream to which the messages go once they are stored, such as `mqtt(…)`. The outbox connects and closes it. */
  readonly stream: StreamProvider
  /**
   * Place of storage. In Node: the path of a folder, which is created if necessary. In browsers: the name of a database
   * of the page's origin. Or your own store.
   */
  readonly store: string | OutboxStore
  /**
   * Maximum number of stored bytes. Includes about 150 bytes of overhead per message, and messages that are set aside.
   * A folder on disk can take 5 MiB more. Default `268_435_456` (256 MiB).
   */
  readonly maxBytes?: number | undefined
  /**
   * Milliseconds after which an undelivered message is dropped, even while the stream has it and does not answer. Not
   * for messages that are set aside. While a process runs, this does not depend on the machine's clock, and the next
   * process knows how that clock was set. Between processes it does. Default: never.
   */
  readonly maxAgeMs?: number | undefined
  /**
   * Action when `maxBytes` are stored. `reject`: further calls reject with `QUEUE_FULL`. `drop-oldest`: the oldest
   * messages make room. Default `reject`.
   */
  readonly whenFull?: 'reject' | 'drop-oldest' | undefined
  /**
   * Action for a message that the stream rejects with `STREAM_REFUSED`, for example because it is too large for the
   * broker. `drop`: it is dropped. `keep`: it is sent again, behind the others, until it is accepted or too old. No
   * other error counts as a refusal: after any other, the message is kept. Default `drop`.
   */
  readonly whenRefused?: 'drop' | 'keep' | undefined
  /** Maximum number of messages passed to the stream and not settled, 1 to 65,535. Default `64`, as for `mqtt`. */
  readonly maxInFlight?: number | undefined
  /**
   * Milliseconds that the outbox waits for the stream's answer to one message. Without an answer it is sent again; a
   * late answer still counts. It must be longer than the stream's own limit (`publishTimeoutMs` of `mqtt`), or messages
   * go out twice. Default `300_000` (five minutes).
   */
  readonly streamTimeoutMs?: number | undefined
  /**
   * Milliseconds for which `close()` goes on sending stored messages; the rest stays for the next start. The stream has
   * as long again to close. The store has as long to delete delivered messages, and as long to close. So `close()` ends
   * after at most four times that. Default `5_000`.
   */
  readonly closeTimeoutMs?: number | undefined
}

/** Exported for the page of limits. */
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

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readOutboxOptions(options: OutboxOptions): OutboxSettings {
  return readOptions(schema, options, 'outbox')
}
