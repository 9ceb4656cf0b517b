import { readFile, rename, writeFile } from 'node:fs/promises'
import type { HashName, Receipt } from 'alvarium-sdk'
import * as v from 'valibot'
import { codeOf, textOf } from '../../base/errors.js'
import { readOptions, wholeNumber } from '../../base/options/schema.js'
import { HASHES } from '../../model/bundle.js'
import { flushName } from '../../streams/flush-name.js'
import { invalid } from '../fault.js'

/** How far it came in a file. */
export interface FileProgress {
  /** Payloads whose messages were accepted, from the first on. */
  readonly payloads: number
  /** The key of the last one of them, by which one sees that the file is still the one it was. */
  readonly lastKey: string
  readonly hash: HashName
  /** The file as it was when all of it was done; undefined before that. */
  readonly bytes?: number
  readonly modifiedMs?: number
}

/** A file as it was when it was read. */
type FileState = Required<Pick<FileProgress, 'bytes' | 'modifiedMs'>>

/** How far it is coming in a file. What a receipt says is read when somebody asks. */
export class Course {
  #payloads: number
  readonly #before: FileProgress | undefined
  #last: Receipt | undefined
  #pending = 0
  #end: FileState | undefined

  /** @param known - how far it came the last time */
  constructor(known: FileProgress | undefined) {
    this.#payloads = known?.payloads ?? 0
    this.#before = known
  }

  /** Counts a call that was made. */
  begin(): void {
    this.#pending++
  }

  /** Counts a call that was accepted. */
  add(receipt: Receipt): void {
    this.#pending--
    this.#payloads++
    this.#last = receipt
  }

  /** Says that no more calls follow. @param state - the file that was read to its end */
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

/** Written at most once in this time: after a crash, what was done since is done again. */
const WRITE_EVERY_MS = 1_000

/** Remembers how far it came in each file, for `--watch` and `--resume`. */
export class Journal {
  readonly #path: string | undefined
  readonly #files: Map<string, { readonly progress: FileProgress }>
  /** Payloads that earlier runs have annotated. */
  readonly earlier: number
  /** True if an earlier run has begun, even if it was killed at once. */
  readonly isBegun: boolean
  #writtenAt = performance.now()

  private constructor(path: string | undefined, files: Map<string, FileProgress>, isBegun = false) {
    this.#path = path
    this.isBegun = isBegun
    this.#files = new Map(Array.from(files, ([path, progress]) => [path, { progress }]))
    this.earlier = [...files.values()].reduce((sum, { payloads }) => sum + payloads, 0)
  }

  /**
   * @param path - of the file to remember it in; without, it is forgotten in the end
   * @throws AlvariumError `CONFIG_INVALID` when the file is there and cannot be read, or is another
   */
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

  /** Keeps how far a file comes from now on. */
  follow(path: string, course: Course): void {
    this.#files.set(path, course)
  }

  /** Whether it was written down long ago. */
  get isDue(): boolean {
    return performance.now() - this.#writtenAt > WRITE_EVERY_MS
  }

  /**
   * Writes all of it or nothing, even if the machine stops meanwhile.
   *
   * @throws AlvariumError `CONFIG_INVALID` when there is no room for it, for example
   */
  async write(): Promise<void> {
    this.#writtenAt = performance.now()
    if (this.#path === undefined) return
    const files = Object.fromEntries(Array.from(this.#files, ([path, { progress }]) => [path, progress]))
    const text = JSON.stringify({ alvarium: 'progress/1', files }, null, 1)
    try {
      await writeFile(`${this.#path}.new`, `${text}\n`, { flush: true })
      await rename(`${this.#path}.new`, this.#path)
      await flushName(this.#path)
    } catch (error) {
      throw invalid('--resume', 'a file that can be written', textOf(error))
    }
  }
}

const count = wholeNumber(0, 'an integer from 0 on')
/** What a disk or an editor has changed would have payloads skipped whose key nobody compares. */
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
