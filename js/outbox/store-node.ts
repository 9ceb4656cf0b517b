import { mkdir, statfs } from 'node:fs/promises'
import type { ClassicLevel } from 'classic-level'
import { AlvariumError } from '../base/errors.js'
import type { OutboxStore, StoredRecord } from './store.js'

type Level = ClassicLevel<string, Uint8Array>

/** As many digits as the largest safe integer has, so that keys sort as their numbers do. */
const DIGITS = 16
/** What LevelDB needs to open itself again after a disk was full: it writes its log, of at most 4 MiB, anew. */
const ROOM_TO_OPEN = 16 * 1024 * 1024

const keyOf = (number: number) => String(number).padStart(DIGITS, '0')

/** A store in a folder: LevelDB, whose own lock keeps others out. */
export function storeAt(place: string): OutboxStore {
  return new LevelStore(place)
}

class LevelStore implements OutboxStore {
  readonly #folder: string
  #opening: Promise<Level> | undefined
  #mending: Promise<Level> | undefined
  /**
   * A write has failed. LevelDB would go on behind the torn record in its log, and at the next start drop what comes
   * after that: 2,000 acknowledged records in a test with a full disk. When it is opened again, it begins a new log.
   */
  #isTorn = false
  #deleted = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  async open(): Promise<{ first: number; last: number } | undefined> {
    const level = await this.#opened()
    const [first] = await level.keys({ limit: 1 }).all()
    const [last] = await level.keys({ limit: 1, reverse: true }).all()
    return first === undefined ? undefined : { first: Number(first), last: Number(last) }
  }

  append(first: number, records: readonly Uint8Array[]): Promise<void> {
    return this.#write(async (level) => {
      // Chained, it crosses into native code without an object per record: 75,000 instead of 20,000 records/s.
      const batch = level.batch()
      for (const [at, record] of records.entries()) batch.put(keyOf(first + at), record)
      await batch.write({ sync: true })
    })
  }

  async read(from: number, most: number): Promise<StoredRecord[]> {
    const level = await this.#opened()
    const found = await level.iterator({ gte: keyOf(from), limit: most }).all()
    return found.map(([key, bytes]) => ({ number: Number(key), bytes }))
  }

  /** Not flushed to the disk: the next append does that too. */
  async deleteThrough(number: number): Promise<void> {
    // From where the last call ended: LevelDB would look at everything that it has forgotten and not yet tidied up.
    const gt = keyOf(this.#deleted)
    await this.#write((level) => level.clear({ gt, lte: keyOf(number) }))
    this.#deleted = number
  }

  async close(): Promise<void> {
    const level = await this.#opening?.catch(() => undefined)
    // Until it is closed nobody may open another.
    await level?.close()
    this.#opening = undefined
  }

  async #write(write: (level: Level) => Promise<void>): Promise<void> {
    const level = await (this.#isTorn ? this.#mended() : this.#opened())
    try {
      await write(level)
    } catch (error) {
      this.#isTorn = true
      throw error
    }
  }

  /** One at a time, as with `#opened`: LevelDB keeps out even ourselves. */
  #mended(): Promise<Level> {
    this.#mending ??= this.#reopen().finally(() => {
      this.#mending = undefined
    })
    return this.#mending
  }

  /** Only where it can succeed: until then, what is stored can at least be read, and so be sent. */
  async #reopen(): Promise<Level> {
    const { bavail, bsize } = await statfs(this.#folder)
    const free = bavail * bsize
    if (free < ROOM_TO_OPEN) {
      const text = `store: expected ${ROOM_TO_OPEN} bytes of free disk to go on after a write that failed, got ${free}`
      throw new AlvariumError('STORE_FAILED', text)
    }
    await this.close()
    return this.#opened()
  }

  #opened(): Promise<Level> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #open(): Promise<Level> {
    const { ClassicLevel } = await load()
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const level: Level = new ClassicLevel(this.#folder, {
      keyEncoding: 'utf8',
      valueEncoding: 'view',
      // Signatures and hashes do not compress.
      compression: false,
    })
    try {
      await level.open()
    } catch (error) {
      throw unopened(this.#folder, error)
    }
    this.#isTorn = false
    return level
  }
}

async function load(): Promise<typeof import('classic-level')> {
  try {
    return await import('classic-level')
  } catch (cause) {
    const text =
      'store: expected the package classic-level beside alvarium-sdk (npm install classic-level), got none'
    throw new AlvariumError('CONFIG_INVALID', text, { cause })
  }
}

function unopened(folder: string, error: unknown): AlvariumError {
  const { cause = error } = error as { cause?: unknown }
  const { code, message } = cause as { code?: string; message: string }
  if (code !== 'LEVEL_LOCKED') {
    const text = `store: expected a folder that can be opened at ${folder}, got: ${message}`
    return new AlvariumError('STORE_FAILED', text, { cause })
  }
  const text = `store: expected to be the only one that has ${folder} open, got one that is in use`
  return new AlvariumError('STORE_LOCKED', text, { cause })
}
