import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { flushParentFolder } from '../flush-name.js'
import { carve } from './carve.js'
import { FilePieces, type RandomAccess } from './pieces.js'

export interface Segment {
  readonly path: string
  /** Highest record number in the file, or 0. */
  last: number
}

const SEGMENT_NAME = /^records-([1-9]\d{0,14})$/
const MARK_NAMES = ['mark', 'mark-copy']

export interface SegmentList {
  readonly segments: Segment[]
  readonly next: number
}

export async function segmentsIn(folder: string): Promise<SegmentList> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  const numbers = names.flatMap((name) => SEGMENT_NAME.exec(name)?.[1] ?? []).map(Number)
  numbers.sort((one, other) => one - other)
  for (const name of names.filter((each) => MARK_NAMES.includes(each))) {
    const next = (numbers.at(-1) ?? 0) + 1
    if (await rescueMisplaced(join(folder, name), join(folder, `records-${next}`))) numbers.push(next)
  }
  const segments = numbers.map((number) => ({ path: join(folder, `records-${number}`), last: 0 }))
  return { segments, next: (numbers.at(-1) ?? 0) + 1 }
}

/** Renames a file of records with the name of a mark, which the next mark would overwrite. */
async function rescueMisplaced(from: string, to: string): Promise<boolean> {
  const isMisplaced = await readSegment(from, async (pieces) => {
    for await (const { number } of carve(pieces)) if (number > 0) return true
    return false
  })
  if (isMisplaced) await rename(from, to)
  return isMisplaced === true
}

/** Calls `read` with an open file. Returns undefined if the file does not exist, or is a folder. */
export async function readSegment<Result>(
  path: string,
  read: (pieces: RandomAccess) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await FilePieces.open(path)
  if (!file) return undefined
  try {
    return await read(file)
  } finally {
    await file.close()
  }
}

export class OpenSegment implements Segment {
  readonly path: string
  last = 0
  readonly #file: FileHandle
  #size = 0

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  static async create(path: string): Promise<OpenSegment> {
    const segment = new OpenSegment(path, await open(path, 'wx', 0o600))
    try {
      await flushParentFolder(path)
      return segment
    } catch (error) {
      await segment.close()
      throw error
    }
  }

  get size(): number {
    return this.#size
  }

  /** Appends bytes durably, all or none, and returns their position. Do not append more after an error. */
  async add(bytes: Uint8Array): Promise<number> {
    const start = this.#size
    try {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#file.write(bytes, at, bytes.length - at, start + at)).bytesWritten
      }
      await this.#file.datasync()
    } catch (error) {
      // If this fails, the next process may find these records. Records with the same numbers in a later file
      // replace them.
      await this.#file.truncate(start).catch(() => {})
      throw error
    }
    this.#size += bytes.length
    return start
  }

  async close(): Promise<void> {
    await this.#file.close()
    if (this.#size === 0) await rm(this.path, { force: true })
  }
}
