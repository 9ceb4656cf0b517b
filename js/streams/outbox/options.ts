import * as v from 'valibot'
import {
  hasMethods,
  integer,
  LONGEST_TIMEOUT,
  readOptions,
  strict,
  withMethods,
} from '../../base/options/schema.js'
import type { StreamProvider } from '../stream.js'
import type { OutboxStore } from './store.js'

/** Options of {@link outbox}. */
export interface OutboxOptions {
  /** Where the messages go once they are stored: `mqtt(…)`, for example. The outbox connects and closes it. */
  readonly stream: StreamProvider
  /**
   * Place where they are stored: in Node the path of a folder, which is made if need be; in browsers the name of a database of the page's origin. Or a store of your own.
   */
  readonly store: string | OutboxStore
  /**
   * Most bytes that are stored, with about 150 bytes of ours for each message, and what is set aside; a folder on disk can take 5 MiB
   * more. Default `268_435_456` (256 MiB).
   */
  readonly maxBytes?: number | undefined
  /**
   * Milliseconds after which a message that could not be delivered is dropped, also while the stream has it and does not
   * answer; not when it is set aside. While a process runs this does not depend on the machine's clock, and the next process
   * knows how it was set; between processes it does. Default: never.
   */
  readonly maxAgeMs?: number | undefined
  /**
   * What happens when `maxBytes` are stored: `reject`, the call that would be one too many gets `QUEUE_FULL`; `drop-oldest`,
   * the oldest messages make room. Default `reject`.
   */
  readonly whenFull?: 'reject' | 'drop-oldest' | undefined
  /**
   * What happens to a message that the stream names as one it will not take (`STREAM_REFUSED`): too large for the broker, for
   * example. `drop`: it is dropped; `keep`: it is sent again, behind the others, until it is taken or too old. Nothing else counts as a
   * refusal: whatever else the stream rejects with, the message is kept. Default `drop`.
   */
  readonly whenRefused?: 'drop' | 'keep' | undefined
  /** Most messages that are handed to the stream and not settled, 1 to 65,535. Default `64`, as that of `mqtt`. */
  readonly maxInFlight?: number | undefined
  /**
   * Milliseconds that the outbox waits for the stream's answer to one message. Without an answer it is sent again; one that comes
   * late still counts. It has to be longer than the stream's own limit (`publishTimeoutMs` of `mqtt`), or messages go out
   * twice. Default `300_000` (five minutes).
   */
  readonly streamTimeoutMs?: number | undefined
  /**
   * Milliseconds that `close()` goes on sending what is stored; the rest stays for the next start. The stream has as long again to
   * close, and so has the store to delete what was delivered, and to close: `close()` ends after four times that at the latest.
   * Default `5_000`.
   */
  readonly closeTimeoutMs?: number | undefined
}

/** The page of limits shows it. */
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
  streamTimeoutMs: integer(1, LONGEST_TIMEOUT, 300_000),
  closeTimeoutMs: integer(1, LONGEST_TIMEOUT, 5000),
})

/** The options with their defaults filled in. */
export type OutboxSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` naming the first option that cannot work */
export function readOutboxOptions(options: OutboxOptions): OutboxSettings {
  return readOptions(schema, options, 'outbox')
}
