import { readFile, rename, writeFile } from 'node:fs/promises'
import type { HashName, Receipt } from 'alvarium-sdk'
import * as v from 'valibot'
import { codeOf, textOf } from '../../foundation/base/errors.js'
import { readOptions, wholeNumber } from '../../foundation/base/options/schema.js'
import { HASHES } from '../../foundation/model/bundle.js'
import { flushParentFolder } from '../../transport/streams/flush-name.js'
import { invalid } from '../fault.js'

export interface FileProgress {
  /** Number of payloads, from the start of the file, whose messages the stream has accepted. */
  readonly payloads: number
  /** Payload key of the last annotated payload. A different key at its position shows that the file has changed. */
  readonly lastKey: string
  readonly hash: HashName
  /** Size of the file in bytes when all of it was annotated; undefined before that. */
  readonly bytes?: number
  readonly modifiedMs?: number
}

type FileState = Required<Pick<FileProgress, 'bytes' | 'modifiedMs'>>

/** Progress in a file that is being annotated. Parses the bundle of a receipt only when `progress` is read. */
export class FileCourse {
  #payloads: number
  readonly #before: FileProgress | undefined
  #last: Receipt | undefined
  #pending = 0
  #end: FileState | undefined

  constructor(known: FileProgress | undefined) {
    this.#payloads = known?.payloads ?? 0
    this.#before = known
  }

  begin(): void {
    this.#pending++
  }

  add(receipt: Receipt): void {
    this.#pending--
    this.#payloads++
    this.#last = receipt
  }

  end(state: FileState): void {
    this.#end = state
  }

  get progress(): FileProgress {
    const { lastKey = '', hash = 'sha256' } = this.#before ?? {}
    const last = this.#last?.bundle
    const state = this.#pending === 0 ? this.#end : undefined
    return { payloads: this.#payloads, lastKey: last?.key ?? lastKey, hash: last?.hash ?? hash, ...state }
  }
}

/** Milliseconds between writes of the journal. After a crash, the work since the last write is repeated. */
const WRITE_EVERY_MS = 1_000

export class Journal {
  readonly #path: string | undefined
  readonly #files: Map<string, { readonly progress: FileProgress }>
  /** Number of payloads that earlier runs annotated. */
  readonly earlier: number
  /** True if the journal file exists, even if an earlier run was killed before its first message. */
  readonly isBegun: boolean
  #writtenAt = performance.now()

  private constructor(path: string | undefined, files: Map<string, FileProgress>, isBegun = false) {
    this.#path = path
    this.isBegun = isBegun
    this.#files = new Map(Array.from(files, ([path, progress]) => [path, { progress }]))
    this.earlier = [...files.values()].reduce((sum, { payloads }) => sum + payloads, 0)
  }

  static async open(path: string | undefined): Promise<Journal> {
    if (path === undefined) return new Journal(path, new Map())
    try {
      return new Journal(path, entriesIn(await readFile(path, 'utf8')), true)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return new Journal(path, new Map())
      throw invalid('--resume', 'a file that alvarium annotate wrote, or a new one', textOf(error))
    }
  }

  of(path: string): FileProgress | undefined {
    return this.#files.get(path)?.progress
  }

  follow(path: string, course: FileCourse): void {
    this.#files.set(path, course)
  }

  /** True if the last write is more than {@link WRITE_EVERY_MS} ago. */
  get isDue(): boolean {
    return performance.now() - this.#writtenAt > WRITE_EVERY_MS
  }

  /** Writes the journal atomically: a crash leaves the old or the new version. */
  async write(): Promise<void> {
    this.#writtenAt = performance.now()
    if (this.#path === undefined) return
    const files = Object.fromEntries(Array.from(this.#files, ([path, { progress }]) => [path, progress]))
    const text = JSON.stringify({ alvarium: 'progress/1', files }, null, 1)
    try {
      await writeFile(`${this.#path}.new`, `${text}\n`, { flush: true })
      await rename(`${this.#path}.new`, this.#path)
      await flushParentFolder(this.#path)
    } catch (error) {
      throw invalid('--resume', 'a file that can be written', textOf(error))
    }
  }
}

const count = wholeNumber(0, 'an integer from 0 on')
/** Valibot schema of a journal entry. Without it, a damaged entry could make the command skip payloads. */
const PROGRESS = v.object(
  {
    payloads: count,
    lastKey: v.string('a key'),
    hash: v.picklist(HASHES, 'sha256, md5 or none'),
    bytes: v.exactOptional(count),
    modifiedMs: v.exactOptional(v.number('milliseconds')),
  },
  'how far it came in a file',
)

function entriesIn(text: string): Map<string, FileProgress> {
  const { alvarium, files } = JSON.parse(text)
  if (alvarium !== 'progress/1') throw new Error('a file of something else')
  return new Map(Object.entries(files).map(([path, entry]) => [path, readOptions(PROGRESS, entry, path)]))
}
