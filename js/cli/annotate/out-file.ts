import { type BigIntStats, fstatSync } from 'node:fs'
import { chmod, rm, stat, truncate } from 'node:fs/promises'
import { resolve } from 'node:path'
import { conflicts, needs } from '../../foundation/base/errors.js'
import { shownPath } from '../../foundation/base/text/text.js'
import { invalid } from '../fault.js'
import { idOf } from '../input/files.js'
import { cutTornLine } from '../messages/torn-line.js'
import type { AnnotateOptions } from './options.js'

/** Output file for messages. Overwrites existing contents only with `--force`. */
export class OutFile {
  readonly #path: string
  readonly #isForced: boolean
  readonly #isNew: boolean

  private constructor(path: string, isForced: boolean, isNew: boolean) {
    this.#path = path
    this.#isForced = isForced
    this.#isNew = isNew
  }

  /**
   * Checks the output file.
   *
   * @param inputs - files that the command reads and must not overwrite
   * @param goesOn - whether this run continues an earlier one, whose messages the file may contain
   */
  static async at(
    { out, append = false, force = false }: Pick<AnnotateOptions, 'out' | 'append' | 'force'>,
    inputs: readonly string[],
    goesOn: boolean,
  ): Promise<OutFile | undefined> {
    if (append && force) throw conflicts('--append', '--force')
    if (out === undefined) {
      if (append || force) throw needs('--out', `a file for ${append ? '--append' : '--force'}`)
      return undefined
    }
    const info = await stat(out, { bigint: true }).catch(() => undefined)
    if (info && !info.isFile()) throw notFileError(out, info)
    await assertOther(out, info, inputs)
    if (info && info.size > 0n && !append && !force && !goesOn) throw notEmptyError(out)
    return new OutFile(out, force && info !== undefined, info === undefined)
  }

  /** Removes the file if this run created it and wrote nothing. */
  async removeIfEmpty(): Promise<void> {
    if (!this.#isNew) return
    const info = await stat(this.#path).catch(() => undefined)
    if (info?.size === 0) await rm(this.#path, { force: true })
  }

  /**
   * Prepares the file for writing: empties it with `--force`, sets the mode of a new file, and cuts off an
   * incomplete last line.
   *
   * @returns whether a line was cut off
   */
  async begin(): Promise<boolean> {
    if (this.#isForced) await truncate(this.#path)
    // Make the file readable for other users: the SDK creates its files with mode 0600.
    if (this.#isNew) await chmod(this.#path, 0o666 & ~process.umask())
    return cutTornLine(this.#path)
  }
}

function notEmptyError(out: string): Error {
  const next = 'which is not empty: add to the file with --append, or overwrite it with --force'
  return invalid('--out', 'a new file', `${shownPath(out)}, ${next}`)
}

/** Returns the error for a folder, a device or a pipe, which cannot be flushed and read back. */
function notFileError(out: string, info: BigIntStats): Error {
  const next = info.isDirectory()
    ? 'which is a folder: name a file in it'
    : 'which is a device or a pipe: redirect standard output to it (>), without --out'
  return invalid('--out', 'a regular file', `${shownPath(out)}, ${next}`)
}

async function assertOther(
  out: string,
  info: BigIntStats | undefined,
  inputs: readonly string[],
): Promise<void> {
  const id = info && idOf(info)
  for (const input of inputs) {
    const isPiped = input === '-'
    // Compare paths if the output file does not exist yet and therefore has no inode.
    const isSame = id === undefined ? !isPiped && resolve(input) === resolve(out) : (await idAt(input)) === id
    if (!isSame) continue
    throw invalid(
      '--out',
      'a file that is not an input',
      `${shownPath(out)}, which is ${isPiped ? 'piped in' : shownPath(input)}: choose another name`,
    )
  }
}

/** @param input - a path, or `-` for standard input, which a shell may have opened from a file */
async function idAt(input: string): Promise<string | undefined> {
  try {
    return idOf(input === '-' ? fstatSync(STDIN, { bigint: true }) : await stat(input, { bigint: true }))
  } catch {
    return undefined
  }
}

const STDIN = 0
