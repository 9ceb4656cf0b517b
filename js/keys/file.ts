import { readFile } from '#platform'
import { AlvariumError, textOf } from '../base/errors.js'

/**
 * Reads a key file in Node, for use as `signingKey` or `verifyingKey`.
 *
 * @throws AlvariumError `KEY_INVALID` when the file cannot be read, or always in a browser
 */
export async function readKey(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (cause) {
    // Who passes the key instead of its path must not find it in a log.
    if (/-----BEGIN|[0-9a-f]{64}|\n/i.test(path)) throw unreadable('', 'what looks like a key itself')
    throw unreadable(` ${path}`, textOf(cause), { cause })
  }
}

function unreadable(file: string, got: string, options?: ErrorOptions): AlvariumError {
  const text = `key file${file}: expected the path of a readable file, got: ${got}`
  return new AlvariumError('KEY_INVALID', text, options)
}
