import { AlvariumError, assertBytes, closed, codeOf, expected } from '../../base/errors.js'
import { safeLogger } from '../../base/logger.js'
import { Notifier } from '../../base/time/notifier.js'
import { GroupCommit } from '../group-commit.js'
import type { PublishOptions, StreamContext, StreamProvider, StreamRoom } from '../stream.js'
import { LineFile, linesOf } from './lines.js'
import { type FileOptions, type FileSettings, readFileOptions } from './options.js'

export type { FileOptions } from './options.js'

/** A stream to a file. */
export interface FileStream extends StreamProvider {
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<void>
  close(): Promise<void>
}

/**
 * Writes each message as a line of a file (NDJSON), in the order of the calls; full files are renamed to `path.1`, `path.2`, and
 * so on. In Node alone.
 *
 * A path belongs to one stream at a time, also by another name (a link, a relative path). In Linux and Windows that holds among all processes
 * of one machine or container; elsewhere, make sure that only one process writes there. What other programs add is left as it is.
 *
 * A line that was torn, as the process or the machine ended while it was written, is ended where it is: its call had not
 * resolved. Readers find that it is no message, and go on.
 *
 * `publish` rejects with `QUEUE_FULL` over `maxQueuedBytes` (`sdk.ready()` waits for room), with `STORE_FAILED` when the line cannot be written (a full disk: the next
 * call may find room), with `STREAM_REFUSED` for a message that is not one line of JSON (another codec), with `STREAM_CLOSED` when
 * it is closed or not yet connected. `connect()` rejects with `STORE_FAILED` when the file cannot be opened, with `STORE_LOCKED` when
 * another stream has it.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { openSdk } from 'alvarium-sdk'
 * import { file } from 'alvarium-sdk/file'
 *
 * const stream = file({ path: 'audit.ndjson', maxBytes: 100_000_000 })
 * await using sdk = await openSdk({ signingKey, annotators, stream })
 * ```
 */
export function file(options: FileOptions): FileStream {
  return new LineStream(readFileOptions(options))
}

class LineStream implements FileStream {
  readonly #settings: FileSettings
  readonly #queue: GroupCommit<Uint8Array, unknown, void>
  /** Less waits for the disk than before. */
  readonly #left = new Notifier()
  #opening: Promise<LineFile> | undefined
  #lines: LineFile | undefined
  #closing: Promise<void> | undefined
  /** After most failures to write nobody knows what is in the file. */
  #broken: AlvariumError | undefined

  constructor(settings: FileSettings) {
    this.#settings = settings
    this.#queue = new GroupCommit(
      { bytes: settings.maxBytes, overhead: 1 },
      { write: (messages) => this.#write(messages), written: () => ({ results: [] }) },
    )
  }

  async connect({ logger }: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) throw closed('file', 'it is closed')
    this.#opening ??= this.#open(safeLogger(logger))
    this.#lines = await this.#opening
  }

  async publish(message: Uint8Array, { signal, contentType }: PublishOptions = {}): Promise<void> {
    assertBytes(message, 'message')
    signal?.throwIfAborted()
    if (this.#closing) throw closed('file', 'it is closed')
    if (!this.#lines) throw closed('file', 'it is not connected, call connect() first')
    if (this.#broken) throw this.#broken
    assertLine(message, contentType)
    const { maxQueuedBytes } = this.#settings
    const { bytes } = this.#queue
    if (bytes > 0 && bytes + message.length > maxQueuedBytes) {
      const most = `at most ${maxQueuedBytes} bytes to wait for the disk`
      throw expected('QUEUE_FULL', 'file', most, `${message.length} more`)
    }
    try {
      await this.#queue.add(message)
    } finally {
      this.#left.tell()
    }
  }

  /** Whether so much more finds room now; else when to ask again. If nothing waits, one message may be longer than all room. */
  hasRoom({ messages, bytes }: StreamRoom): true | Promise<void> {
    const waiting = this.#queue.bytes
    const isEmpty = waiting === 0 && messages <= 1
    return isEmpty || waiting + bytes <= this.#settings.maxQueuedBytes || this.#left.next
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #open(logger: StreamContext['logger']): Promise<LineFile> {
    try {
      const { lines, isTorn } = await LineFile.open(this.#settings)
      if (isTorn)
        logger.warn({ path: this.#settings.path }, 'file: its last line was torn, and is no message')
      return lines
    } catch (cause) {
      // A later connect() may try again.
      this.#opening = undefined
      throw cause instanceof AlvariumError ? cause : failed('to be opened', cause)
    }
  }

  async #write(messages: readonly Uint8Array[]): Promise<void> {
    if (this.#broken) throw this.#broken
    const file = this.#lines as LineFile
    const lines = linesOf(messages)
    await file.makeRoom(lines.length).catch((cause) => {
      throw failed(TO_TAKE, cause)
    })
    try {
      await file.add(lines)
    } catch (cause) {
      throw isFull(cause) ? failed(TO_TAKE, cause) : this.#break(cause)
    }
    await file.flush().catch((cause) => {
      throw this.#break(cause)
    })
  }

  #break(cause: unknown): AlvariumError {
    this.#broken = failed(TO_TAKE, cause)
    return this.#broken
  }

  async #close(): Promise<void> {
    const lines = await this.#opening?.catch(() => undefined)
    await this.#queue.idle()
    await lines?.close()
  }
}

function assertLine(message: Uint8Array, contentType = 'application/json'): void {
  if (contentType === 'application/json' && !message.includes(0x0a)) return
  const got = `${contentType}: leave the codec as it is`
  throw expected('STREAM_REFUSED', 'file', 'a message that is a line of JSON', got)
}

/** What was written of it has been taken back, and there may be room later. */
function isFull(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String(codeOf(cause)))
}

const TO_TAKE = 'to take the message'

function failed(what: string, cause: unknown): AlvariumError {
  return expected('STORE_FAILED', 'file', what, undefined, cause)
}
