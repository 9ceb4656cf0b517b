import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Writes the name of a file to the disk synchronously, because Ctrl-C could come between two asynchronous
 * steps. See `flushName`.
 */
export function flushNameSync(path: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return
  const folder = openSync(join(dirname(path), '.'), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
