import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readKey } from 'alvarium-sdk'
import type { SignedState, WitnessState } from 'alvarium-sdk/witness'
import { ifPresent } from '../../foundation/base/if-present.js'
import { flushParentFolder, makeFolder } from '../../transport/streams/flush-name.js'
import { lockPath } from '../../transport/streams/path-lock.js'

const KEY_FILE = 'witness.key'

const LOCKABLE = {
  field: '--state',
  expected: 'the folder of a witness that does not run',
  advice: 'two witnesses with one key could sign two logs',
}

/**
 * State of a witness: its private key, and one file per log with the last cosigned checkpoint. Replaces files
 * atomically, so that a crash leaves the old or the new version.
 */
export class WitnessFolder implements WitnessState {
  readonly signingKey: Uint8Array
  readonly #path: string
  readonly #unlock: () => Promise<void>

  private constructor(path: string, signingKey: Uint8Array, unlock: () => Promise<void>) {
    this.#path = path
    this.signingKey = signingKey
    this.#unlock = unlock
  }

  /** Opens the folder of a witness. Creates the folder and a private key if they are missing. */
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
    const note = await ifPresent(readFile(this.#fileOf(origin), 'utf8'))
    return note === undefined ? undefined : { note }
  }

  async write({ origin, note }: SignedState): Promise<void> {
    await replace(this.#fileOf(origin), note)
  }

  async close(): Promise<void> {
    this.signingKey.fill(0)
    await this.#unlock()
  }

  /** Returns the path of a log's file. The log's name is hashed, because it may contain any characters. */
  #fileOf(origin: string): string {
    return join(this.#path, `${createHash('sha256').update(origin).digest('hex')}.note`)
  }
}

/** Reads the private key from its file. Creates a missing file, which only its owner can read. */
async function keyIn(path: string): Promise<Uint8Array> {
  const file = join(path, KEY_FILE)
  if (!existsSync(file)) await replace(file, `${randomBytes(32).toString('hex')}\n`)
  return readKey(file, { seed: true })
}

/** Replaces a file atomically. Resolves when the change survives a power failure. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  await flushParentFolder(path)
}
