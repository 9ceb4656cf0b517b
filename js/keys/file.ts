import { AlvariumError, codeOf, describe, expected, textOf } from '../base/errors.js'
import { assertNames } from '../base/options/names.js'
import { endOf, isQuotable, isUtf16, withoutMark } from '../base/text/text.js'
import { platform } from '../platform/platform.js'
import { invalid } from './fault.js'
import { keyPairOf } from './signing.js'

/** How to take what a key file holds. */
export interface ReadKeyOptions {
  /**
   * Whether the file holds a seed alone (the `private.key` of the Rust SDK: 64 hexadecimal digits, or 32 bytes). It cannot
   * be told from a public key, so without this nothing can be signed with it.
   */
  readonly seed?: boolean | undefined
}

/**
 * Reads a key file in Node, for use as `signingKey` or `verifyingKey`. Files of private keys say that they are, but for
 * those that hold a seed alone: ask for that by name.
 *
 * @returns the file's contents; with `seed`, seed and public key, 64 bytes. Wipe a private key with `fill(0)`
 * @throws AlvariumError `KEY_INVALID` when the file cannot be read, holds no seed where one was asked for, or always in a
 * browser. What could be a key, passed in place of its path, is not in the error. `CONFIG_INVALID` naming the option
 * @throws TypeError when `path` is not a string
 *
 * @example
 * ```ts
 * const signingKey = await readKey('private.key')
 * const ofTheRustSdk = await readKey('rust/private.key', { seed: true })
 * ```
 */
export async function readKey(path: string, options: ReadKeyOptions = {}): Promise<Uint8Array> {
  if (typeof path !== 'string') throw new TypeError(`path: expected a string, got ${describe(path)}`)
  assertNames(options, ['seed'], 'readKey.')
  const { seed = false } = options
  if (typeof seed !== 'boolean') {
    throw expected('CONFIG_INVALID', 'readKey.seed', 'true or false', describe(seed))
  }
  const bytes = withoutMarks(await contentsOf(path))
  if (!seed) return bytes
  try {
    return keyPairOf({ seed: bytes }).signingKey
  } finally {
    bytes.fill(0)
  }
}

async function contentsOf(path: string): Promise<Uint8Array> {
  try {
    if (platform.readFile) return await platform.readFile(path)
    throw new Error('there are no files here: pass the contents of the key file instead')
  } catch (cause) {
    throw isSurelyPath(path) ? unreadable(` ${path}`, textOf(cause), cause) : unreadablyLong(path, cause)
  }
}

/** Editors and shells put marks before text. Bytes of keys alone are no more than 64, and may begin as they like. */
function withoutMarks(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= 64) return bytes
  if (!isUtf16(bytes)) return withoutMark(bytes)
  bytes.fill(0)
  throw invalid('key file', 'bytes, or text in UTF-8', 'UTF-16: save it as UTF-8')
}

const PATH = /^[\p{L}\p{N} ._~@+=,:/\\()-]+$/u

/** Who passes the key instead of its path must not find it in a log: too short for a key, and nothing but a path. */
function isSurelyPath(path: string): boolean {
  return isQuotable(path) && PATH.test(path)
}

/** Of the reason only its code: texts of the file system quote what they were given. */
function unreadablyLong(path: string, cause: unknown): AlvariumError {
  const end = endOf(path)
  const code = codeOf(cause)
  const why = typeof code === 'string' ? code : textOf(cause)
  if (end !== undefined) return unreadable(` ${end}`, why)
  return unreadable('', `what may be a key itself, or a path that cannot be read (${why})`)
}

function unreadable(file: string, got: string, cause?: unknown): AlvariumError {
  const text = `key file${file}: expected the path of a readable file, got: ${got}`
  return new AlvariumError('KEY_INVALID', text, cause === undefined ? {} : { cause })
}
