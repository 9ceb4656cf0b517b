import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { expected, textOf } from '../base/errors.js'
import { shownPath, utf8In } from '../base/text/text.js'

/** How files are hashed. `md5` is there for what has such sums already; anybody can make two files with one. */
export type ArtifactHash = 'sha256' | 'sha384' | 'sha512' | 'md5'

/** For options. */
export const artifactHash = v.optional(
  v.picklist(['sha256', 'sha384', 'sha512', 'md5'], 'sha256, sha384, sha512 or md5'),
  'sha256',
)
/** A path, where one is given with the options and not with the call. */
export const pathOption = v.optional(v.pipe(v.string('a path'), v.minLength(1, 'a path')))

const PIECE_BYTES = 256 * 1024
/** Reading would wait for another end of a pipe, or for ever. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The digest of a file, of which little is in memory at a time.
 *
 * @internal `Buffer`, for names that are no UTF-8, would be in types that are read without Node's
 * @returns lower-case hexadecimal
 * @throws Error when it cannot be read, or is no file, or `signal` ends it
 */
export async function digestOfFile(
  path: string | Buffer,
  hash: ArtifactHash,
  signal: AbortSignal | undefined,
): Promise<string> {
  const digest = createHash(hash)
  await withFile(path, async (file) => {
    const piece = new Uint8Array(PIECE_BYTES)
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES)
      if (bytesRead === 0) return
      digest.update(piece.subarray(0, bytesRead))
    }
  })
  return digest.digest('hex')
}

/**
 * The text of a file, of no more than so many bytes.
 *
 * @throws Error when it cannot be read, is no file, too long or not UTF-8
 */
export function readText(path: string, most: number): Promise<string> {
  return withFile(path, async (file) => {
    const { size } = await file.stat()
    if (size > most) throw new Error(`${path}: expected at most ${most} bytes, got ${size}`)
    const bytes = await file.readFile()
    try {
      return utf8In(bytes)
    } catch (cause) {
      throw new Error(`${path}: expected UTF-8, got ${textOf(cause)}`, { cause })
    }
  })
}

async function withFile<T>(path: string | Buffer, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, WITHOUT_WAITING).catch((error) => {
    throw unreadable(path, error)
  })
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path}: expected a file, got something else`)
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Returns whether there is a folder. @throws Error when it cannot be looked at */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException)
  }
}

/** Returns an error of the file system without its own text, which quotes the whole path: that may be a secret. */
function unreadable(path: string | Buffer, { code, syscall }: NodeJS.ErrnoException): Error {
  const text = `${shownPath(`${path}`)}: expected a file or folder that can be read, got ${code ?? 'an error'}`
  return Object.assign(new Error(text), { code, syscall })
}

/**
 * What a call gave, or else the options.
 *
 * @throws AlvariumError `CONFIG_INVALID` when neither did
 */
export function given(name: string, input: string | undefined, option: string | undefined): string {
  const path = input ?? option
  if (typeof path === 'string' && path !== '') return path
  throw expected('CONFIG_INVALID', name, 'a path, with the call or the options', 'none')
}
