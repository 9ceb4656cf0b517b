import { AlvariumError, codeOf, describe, expected, textOf } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { endOf, isQuotable, isUtf16, stripBom } from '../../foundation/base/text/text.js'
import { platform } from '../../foundation/platform/platform.js'
import { invalid } from './fault.js'
import { keyPairOf } from './signing.js'

/** Options of `readKey`: whether the file contains only a seed. */
export interface ReadKeyOptions {
  /**
   * True if the file contains only a seed (the `private.key` of the Rust SDK: 64 hexadecimal digits, or 32
   * bytes). Without this option a seed cannot sign, because it looks like a public key. Default: false.
   */
  readonly seed?: boolean | undefined
}

/**
 * Reads a key file in Node, for use as `signingKey` or `verifyingKey`. Files of private keys state that they are
 * private, except files that contain only a seed: set `seed` for those.
 *
 * @returns the file's contents; with `seed`, the seed and the public key, 64 bytes. Wipe a private key with `fill(0)`
 * @throws AlvariumError `KEY_INVALID` when the file cannot be read, when it contains no seed although `seed` is set,
 * and always in a browser. The error does not show a key that was passed in place of its path. `CONFIG_INVALID` naming
 * the option
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

/**
 * Removes a byte order mark, and refuses UTF-16. Returns a file of at most 64 bytes unchanged, because it may
 * be a bare key, which can begin with any bytes.
 */
function withoutMarks(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= 64) return bytes
  if (!isUtf16(bytes)) return stripBom(bytes)
  bytes.fill(0)
  throw invalid('key file', 'bytes, or text in UTF-8', 'UTF-16: save it as UTF-8')
}

const PATH = /^[\p{L}\p{N} ._~@+=,:/\\()-]+$/u

/**
 * Returns whether a text is certainly a path: too short for a key, and with only the characters of a path. Any other
 * text may be a key in place of a path, and must not appear in a log.
 */
function isSurelyPath(path: string): boolean {
  return isQuotable(path) && PATH.test(path)
}

/**
 * Creates the error for a path that may be a key. If the cause has a code, the error has this code in place
 * of the cause's text, which quotes the path.
 */
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
