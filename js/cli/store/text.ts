import { readFile } from 'node:fs/promises'
import { textOf } from '../../base/errors.js'
import { invalid, named } from '../fault.js'

/** The text in the file that an option names. @throws AlvariumError `CONFIG_INVALID` naming the option */
export async function textIn(option: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    throw invalid(option, 'a file that can be read', `${named(path)}: ${textOf(error)}`)
  })
}
