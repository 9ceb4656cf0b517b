import { AlvariumError, assertBytes, closed, codeOf, expected } from '../../../foundation/base/errors.js'
import { safeLogger } from '../../../foundation/base/logger.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import { GroupCommit } from '../group-commit.js'
import type { PublishOptions, StreamContext, StreamProvider, StreamRoom } from '../stream.js'
import { LineFile, linesOf } from './lines.js'
import { type FileOptions, type FileSettings, readFileOptions } from './options.js'

export type { FileOptions } from './options.js'

/** A stream that appends messages to a file. */
export interface FileStream extends StreamProvider {
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a stream that appends each message to a file as a line (NDJSON), in the order of the calls. The
 * stream renames full files to `path.1`, `path.2`, and so on. It works only in Node.
 *
 * Only one stream at a time can open a file, even by a relative path or a symbolic link. On Linux and
 * Windows, this applies to all processes of one machine or container. On other systems, make sure that only
 * one process writes to the file. The stream does not change complete lines that other programs append.
 *
 * If the process or machine stops during a write, the file keeps a torn line, and the `publish` call does not
 * resolve. The next stream adds a line end, so that readers can skip the torn line and continue.
 *
 * `publish` rejects with
 *
 * - `QUEUE_FULL` if more than `maxQueuedBytes` would wait (`sdk.ready()` waits for room),
 * - `STORE_FAILED` if the line cannot be written (after a full disk, a later call may succeed),
 * - `STREAM_REFUSED` for a message that is not one line of JSON (another codec),
 * - `STREAM_CLOSED` if the stream is closed or not yet connected.
 *
 * `connect()` rejects with `STORE_FAILED` if the file cannot be opened, and with `STORE_LOCKED` if another
 * stream has opened it.
 *
 * @throws AlvariumError `CONFIG_INVALID` that names the first invalid option
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
  /** Wakes callers of `hasRoom()`. */
  readonly #freed = new Notifier()
  #opening: Promise<LineFile> | undefined
  #lines: LineFile | undefined
  #closing: Promise<void> | undefined
  /** Error of a write that left the file in an unknown state. Every later `publish()` rejects with it. */
  #failure: AlvariumError | undefined

  constructor(settings: FileSettings) {
    this.#settings = settings
    this.#queue = new GroupCommit(
      { bytes: settings.maxBytes, overhead: 1 },
      { write: (messages) => this.#write(messages), written: () => ({ results: [] }) },
    )
  }

  async connect({ logger }: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) throw closed('file', 'is closed')
    this.#opening ??= this.#open(safeLogger(logger))
    this.#lines = await this.#opening
  }

  async publish(message: Uint8Array, { signal, contentType }: PublishOptions = {}): Promise<void> {
    assertBytes(message, 'message')
    signal?.throwIfAborted()
    if (this.#closing) throw closed('file', 'is closed')
    if (!this.#lines) throw closed('file', 'is not connected: call connect() first')
    if (this.#failure) throw this.#failure
    assertLine(message, contentType)
    const { maxQueuedBytes } = this.#settings
    const { bytes } = this.#queue
    if (bytes > 0 && bytes + message.length > maxQueuedBytes) {
      const limit = `at most ${maxQueuedBytes} bytes that wait for the disk`
      throw expected('QUEUE_FULL', 'file', limit, `${bytes + message.length}`)
    }
    try {
      await this.#queue.add(message)
    } finally {
      this.#freed.notifyAll()
    }
  }

  /** Implements `StreamProvider.hasRoom`. An empty queue has room for any message. */
  hasRoom({ messages, bytes }: StreamRoom): true | Promise<void> {
    const waiting = this.#queue.bytes
    const isEmpty = waiting === 0 && messages <= 1
    return isEmpty || waiting + bytes <= this.#settings.maxQueuedBytes || this.#freed.next
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
      // Let a later connect() try again.
      this.#opening = undefined
      throw cause instanceof AlvariumError ? cause : storeError('a file that can be opened', cause)
    }
  }

  async #write(messages: readonly Uint8Array[]): Promise<void> {
    if (this.#failure) throw this.#failure
    const file = this.#lines as LineFile
    const lines = linesOf(messages)
    await file.makeRoom(lines.length).catch((cause) => {
      throw storeError(TO_ACCEPT, cause)
    })
    try {
      await file.add(lines)
    } catch (cause) {
      throw isFull(cause) ? storeError(TO_ACCEPT, cause) : this.#fail(cause)
    }
    await file.flush().catch((cause) => {
      throw this.#fail(cause)
    })
  }

  #fail(cause: unknown): AlvariumError {
    this.#failure = storeError(TO_ACCEPT, cause)
    return this.#failure
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

/** Returns whether the disk is full. `LineFile` has then removed the partial line. */
function isFull(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String(codeOf(cause)))
}

const TO_ACCEPT = 'the message to be written'

function storeError(requirement: string, cause: unknown): AlvariumError {
  return expected('STORE_FAILED', 'file', requirement, undefined, cause)
}
