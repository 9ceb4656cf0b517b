import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { expected, textOf } from '../../foundation/base/errors.js'
import { shownPath, utf8In } from '../../foundation/base/text/text.js'

/** Hash algorithm of files. `md5` is only for existing checksums: anyone can make two files with the same one. */
export type ArtifactHash = 'sha256' | 'sha384' | 'sha512' | 'md5'

/** Schema of the option `hash`. */
export const artifactHash = v.optional(
  v.picklist(['sha256', 'sha384', 'sha512', 'md5'], 'sha256, sha384, sha512 or md5'),
  'sha256',
)
/** Schema of a path option, for calls that give no path. */
export const pathOption = v.optional(v.pipe(v.string('a path'), v.minLength(1, 'a path')))

const PIECE_BYTES = 256 * 1024
/** Flags that open a pipe without waiting for its other end, perhaps forever. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Returns the digest of a file, which is read in pieces.
 *
 * @internal `Buffer`, for names that are not UTF-8, would be in types that are read without Node's
 * @returns lower-case hexadecimal
 * @throws Error if it cannot be read, or is not a file, or `signal` aborts
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
 * Returns the text of a file of at most `most` bytes.
 *
 * @throws Error if it cannot be read, is not a file, too long or not UTF-8
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

/** Returns whether a path is a folder. @throws Error if it cannot be read */
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
 * Returns the path of the call, or else that of the options.
 *
 * @throws AlvariumError `CONFIG_INVALID` if there is none
 */
export function choosePath(name: string, input: string | undefined, option: string | undefined): string {
  const path = input ?? option
  if (typeof path === 'string' && path !== '') return path
  throw expected('CONFIG_INVALID', name, 'a path, with the call or the options', 'none')
}
