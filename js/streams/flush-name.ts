import { mkdir, open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Brings the name of a file to the disk: a file that is new, or has another name, is there after a loss of power only when its folder was flushed. */
export async function flushName(path: string): Promise<void> {
  // Windows has no such thing.
  if (process.platform === 'win32') return
  const folder = await open(join(dirname(path), '.'))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Makes a folder that only its owner can enter, unless it is there. Its name, and those of missing folders above it, survive a loss of power. */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder)
  const first = resolve((await mkdir(path, { recursive: true, mode: 0o700 })) ?? path)
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushName(made)
}
