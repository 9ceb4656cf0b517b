import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { copyBytes } from '../../foundation/base/bytes/join.js'
import { expected, isBytes } from '../../foundation/base/errors.js'
import { missing } from '../../foundation/base/missing.js'
import { quote } from '../../foundation/base/text/text.js'
import { lockPath } from '../../transport/streams/path-lock.js'
import type { ConnectionHandle, ReadConnection, Row, Statement } from './connection.js'
import { joinStatements } from './readers.js'

/** Request to the database's thread: SQL text to run. Without `text`, the thread closes the database. */
export interface ThreadRequest {
  readonly id: number
  readonly text?: string
  readonly params?: unknown[] | undefined
}

export interface ThreadAnswer {
  readonly id: number
  readonly rows?: readonly (readonly Row[])[]
  readonly error?: { readonly message: string; readonly code: string | undefined }
}

/** Opens PGlite in its own thread, in memory or in a folder. A second thread in a folder would destroy the data. */
export async function openEmbedded(
  folder: string | undefined,
  lost: (error: unknown) => void,
  create: boolean,
): Promise<ConnectionHandle> {
  const { resolve } = createRequire(import.meta.url)
  try {
    resolve('@electric-sql/pglite')
  } catch (cause) {
    throw missing('@electric-sql/pglite', cause)
  }
  // Do not report a lost thread, because the store would then open a new, empty database, which hides the lost data.
  if (folder === undefined) return handleOf(new Thread(undefined, doNothing), doNothing)
  if (!create) assertExists(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = await realpath(folder)
  assertNoOtherFiles(path, await readdir(path))
  const unlock = await lockPath(path, LOCKABLE)
  const losing = (error: unknown) => unlock().then(() => lost(error))
  const thread = new Thread(path, losing)
  // PGlite has no timeouts. Ending the thread is safe, because committed rows are in the folder.
  return { ...(await handleOf(thread, unlock)), destroy: (reason) => thread.destroy(reason) }
}

function assertExists(folder: string): void {
  if (existsSync(join(folder, DATABASE_FILE))) return
  throw expected('CONFIG_INVALID', 'store', 'the folder of a store', `${quote(folder)}, which has no store`)
}

const DATABASE_FILE = 'PG_VERSION'

/** Refuses a folder with other files, because nobody could separate the database's files from them. */
function assertNoOtherFiles(path: string, names: readonly string[]): void {
  if (names.length === 0 || names.includes(DATABASE_FILE)) return
  const got = `${path}, which has ${names.length} other files, such as ${quote(names[0] as string)}`
  throw expected('CONFIG_INVALID', 'store', 'a new folder, an empty folder or the folder of a store', got)
}

const doNothing = async () => undefined

const LOCKABLE = {
  field: 'store',
  expected: 'a folder that no other process has open',
  advice: 'close that one first, or use PostgreSQL (postgres://…), which several can use',
}

async function handleOf(thread: Thread, unlock: () => Promise<unknown>): Promise<ConnectionHandle> {
  try {
    await thread.queryAll([]) // settles when the database is open
  } catch (error) {
    await unlock()
    throw error
  }
  const close = async () => {
    await thread.close()
    await unlock()
  }
  return { connection: thread, close }
}

interface PendingRequest {
  resolve(rows: readonly (readonly Row[])[]): void
  reject(error: unknown): void
}

/** Database in a worker thread, which keeps the process alive only while a request is pending. */
class Thread implements ReadConnection {
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingRequest>()
  #last = 0
  #isClosing = false
  #end: unknown

  constructor(folder: string | undefined, lost: (error: unknown) => void) {
    // Drop the process's flags (--input-type, --import), because they apply only to its main file.
    this.#worker = new Worker(new URL('../../store/database/pglite-worker.js', import.meta.url), {
      workerData: { folder },
      execArgv: [],
    })
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer))
    this.#worker.on('error', (error) => {
      this.#end = error
    })
    this.#worker.on('exit', (code) => {
      this.#end ??= new Error(`the thread of the database ended with code ${code}`)
      for (const { reject } of this.#pending.values()) reject(this.#end)
      this.#pending.clear()
      if (!this.#isClosing) lost(this.#end)
    })
  }

  async query(text: string, params?: unknown[]): Promise<{ rows: readonly Row[] }> {
    const [rows = []] = await this.#ask({ text, params: params?.map(copyPart) ?? [] })
    return { rows }
  }

  queryAll(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#ask({ text: joinStatements(statements) })
  }

  /** Ends the thread, even while it runs a statement. */
  destroy(reason: Error): void {
    this.#end = reason
    void this.#worker.terminate()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#ask({}).catch(() => undefined)
    await this.#worker.terminate()
  }

  async #ask(question: Omit<ThreadRequest, 'id'>): Promise<readonly (readonly Row[])[]> {
    if (this.#end !== undefined) throw this.#end
    const id = ++this.#last
    this.#worker.ref()
    this.#worker.postMessage({ id, ...question } satisfies ThreadRequest)
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }))
  }

  #settle({ id, rows = [], error }: ThreadAnswer): void {
    const waiting = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#worker.unref()
    if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }))
    else waiting?.resolve(rows)
  }
}

/** Copies a part of a larger buffer, because `postMessage` would otherwise send the whole buffer. */
function copyPart(param: unknown): unknown {
  return isBytes(param) && param.length < param.buffer.byteLength ? copyBytes(param) : param
}
