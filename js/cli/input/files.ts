import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '../../base/errors.js'
import { invalid } from '../fault.js'

/** A file as it is now. */
export interface FileFound {
  readonly path: string
  readonly bytes: number
  readonly modifiedMs: number
}

/**
 * The files that are named, and all that are in folders that are, in the order of their names. What is hidden is passed over, and
 * so are links, which lead in circles.
 *
 * @throws AlvariumError `CONFIG_INVALID` when something is not there
 */
export async function* filesIn(paths: readonly string[]): AsyncGenerator<FileFound, void> {
  for (const path of paths) {
    const info = await stat(path).catch((error) => {
      throw invalid('source', 'a file or folder that can be read', textOf(error))
    })
    if (info.isDirectory()) yield* filesIn(await entriesOf(path))
    else yield { path, bytes: info.size, modifiedMs: info.mtimeMs }
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
    .map(({ name }) => join(folder, name))
    .sort()
}
