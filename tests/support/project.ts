import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Creates a folder in which the package is found by its name. It is below node_modules, so that the package's peers
 * in a project are found too.
 */
export async function projectFolder(name: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, `${name}-`))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/alvarium-sdk'))
  return folder
}
