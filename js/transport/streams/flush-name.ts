import { mkdir, open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Flushes the folder of a file, so that a new or renamed file survives a power loss. */
export async function flushParentFolder(path: string): Promise<void> {
  // Windows cannot flush folders.
  if (process.platform === 'win32') return
  const folder = await open(join(dirname(path), '.'))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Creates a folder that only its owner can enter, with its missing parents, unless it exists. Flushes the
 * names of all created folders, so that they survive a power loss.
 */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder)
  const first = resolve((await mkdir(path, { recursive: true, mode: 0o700 })) ?? path)
  for (let dir = path; dir.length >= first.length; dir = dirname(dir)) await flushParentFolder(dir)
}
