import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * A folder of its own in which the package is found by its name. It is below node_modules, where what stands beside the
 * package in a project is found too.
 */
export async function projectFolder(name: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, `${name}-`))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/alvarium-sdk'))
  return folder
}
