import { expected, textOf } from '../../foundation/base/errors.js'
import { utf8In } from '../../foundation/base/text/text.js'
import { readFile } from '../../foundation/platform/policy-file.js'

/** Maximum length in bytes of a text file that an option names. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024

/** Reads the file of an option that may be missing. */
export async function textIfAny(option: string, path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : textIn(option, path)
}

/** Reads the UTF-8 file that an option names. Limits the length, because a path may name an endless device. */
export async function textIn(option: string, path: string): Promise<string> {
  try {
    return utf8In(await readFile(path, MAX_TEXT_BYTES))
  } catch (error) {
    throw expected('FILE_UNREADABLE', option, 'a file of UTF-8 that can be read', textOf(error))
  }
}
