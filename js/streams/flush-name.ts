import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

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
