import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Brings the name of a file to the disk before anything else can run, as Ctrl-C could between two steps. See `flushName`. */
export function flushNameSync(path: string): void {
  // Windows has no such thing.
  if (process.platform === 'win32') return
  const folder = openSync(join(dirname(path), '.'), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
