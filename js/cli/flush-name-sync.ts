import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Flushes a directory entry synchronously, because Ctrl-C could end the process between asynchronous steps. */
export function flushNameSync(path: string): void {
  // Windows cannot flush a folder.
  if (process.platform === 'win32') return
  const folder = openSync(join(dirname(path), '.'), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
