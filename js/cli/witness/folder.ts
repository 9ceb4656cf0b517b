import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, realpath, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { readKey } from 'alvarium-sdk'
import type { SignedState, WitnessState } from 'alvarium-sdk/witness'
import { codeOf } from '../../foundation/base/errors.js'
import { flushParentFolder, makeFolder } from '../../transport/streams/flush-name.js'
import { lockPath } from '../../transport/streams/path-lock.js'

const KEY_FILE = 'witness.key'

const LOCKABLE = {
  field: '--state',
  expected: 'the folder of a witness that does not run',
  advice: 'two witnesses with one key could sign two logs',
}

/**
 * State of a witness: its private key, and for each log a file with the last checkpoint that it has signed. A
 * new file is written, flushed, and renamed to the old one: however the process ends, one of the two exists.
 */
export class WitnessFolder implements WitnessState {
  /** Private key, derived from a seed. */
  readonly signingKey: Uint8Array
  readonly #path: string
  readonly #unlock: () => Promise<void>

  private constructor(path: string, signingKey: Uint8Array, unlock: () => Promise<void>) {
    this.#path = path
    this.signingKey = signingKey
    this.#unlock = unlock
  }

  /**
   * Opens the folder, and makes it with a new private key if there is none.
   *
   * @throws AlvariumError `STORE_LOCKED` if another witness has it open, `KEY_INVALID`; the errors of the file system
   */
  static async open(folder: string): Promise<WitnessFolder> {
    await makeFolder(folder)
    const path = await realpath(folder)
    const unlock = await lockPath(path, LOCKABLE)
    try {
      return new WitnessFolder(path, await keyIn(path), unlock)
    } catch (error) {
      await unlock()
      throw error
    }
  }

  async read(origin: string): Promise<Pick<SignedState, 'note'> | undefined> {
    try {
      return { note: await readFile(this.#fileOf(origin), 'utf8') }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async write({ origin, note }: SignedState): Promise<void> {
    await replace(this.#fileOf(origin), note)
  }

  /** Wipes the private key, and unlocks the folder for other processes. */
  async close(): Promise<void> {
    this.signingKey.fill(0)
    await this.#unlock()
  }

  /** Returns the path of a log's file: a hash, because the log's name can have any characters. */
  #fileOf(origin: string): string {
    return join(this.#path, `${createHash('sha256').update(origin).digest('hex')}.note`)
  }
}

/** Reads the private key, or makes one that only its owner can read. */
async function keyIn(path: string): Promise<Uint8Array> {
  const file = join(path, KEY_FILE)
  if (!existsSync(file)) await replace(file, `${randomBytes(32).toString('hex')}\n`)
  return readKey(file, { seed: true })
}

/** Replaces a file as a whole, and resolves when a power cut can no longer undo it. */
async function replace(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await flushParentFolder(path)
}
