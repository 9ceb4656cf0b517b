import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import * as v from 'valibot'
import { needs, textOf } from '../../foundation/base/errors.js'
import { shownPath, utf8In } from '../../foundation/base/text/text.js'

/** Hash algorithm of files. Use `md5` only for existing checksums: anyone can make two files with the same MD5. */
export type ArtifactHash = 'sha256' | 'sha384' | 'sha512' | 'md5'

export const artifactHash = v.optional(
  v.picklist(['sha256', 'sha384', 'sha512', 'md5'], 'sha256, sha384, sha512 or md5'),
  'sha256',
)
/** Valibot schema of a default path, for calls without a path. */
export const pathOption = v.optional(v.pipe(v.string('a path'), v.minLength(1, 'a path')))

const PIECE_BYTES = 256 * 1024
/** Flags with which `open` does not wait until another process opens the other end of a pipe. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a file in pieces, and returns its digest.
 *
 * @internal `path` can be a `Buffer`, for names that are not UTF-8. Public types must not need the type
 * `Buffer` of Node
 * @returns lower-case hexadecimal
 * @throws Error if `path` cannot be read or is not a file, or if `signal` aborts
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
 * Reads a text file of at most `maxBytes` bytes.
 *
 * @throws Error if `path` cannot be read, or is not a file, or if the file is too long or not UTF-8
 */
export function readText(path: string, maxBytes: number): Promise<string> {
  return withFile(path, async (file) => {
    const { size } = await file.stat()
    if (size > maxBytes) throw new Error(`${path}: expected at most ${maxBytes} bytes, got ${size}`)
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
    if (!(await file.stat()).isFile()) throw new Error(`${path}: expected a file, got a folder or a device`)
    return await use(file)
  } finally {
    await file.close()
  }
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException)
  }
}

/** Creates an error without the text of the system's error, which quotes the whole path: the path may be a secret. */
function unreadable(path: string | Buffer, { code, syscall }: NodeJS.ErrnoException): Error {
  const text = `${shownPath(`${path}`)}: expected a file or folder that can be read, got ${code ?? 'an error'}`
  return Object.assign(new Error(text), { code, syscall })
}

/**
 * Returns the path that was passed to the call, or the default path from the options.
 *
 * @throws AlvariumError `CONFIG_INVALID` if neither the call nor the options have a path
 */
export function choosePath(name: string, input: string | undefined, option: string | undefined): string {
  const path = input ?? option
  if (typeof path === 'string' && path !== '') return path
  throw needs(name, 'a path, in the call or in the options')
}
