import { fstatSync, ftruncateSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'

const STDOUT = 1

/**
 * Returns a standard output in which each write is complete or absent. When a full disk has taken only a part
 * of a line, Node does not remove that part from a file. The message in it would be acknowledged, and the
 * next one would follow on the same line.
 */
export function standardOutput(): NodeJS.WritableStream & { readonly writableLength: number } {
  if (!isFile()) return process.stdout
  return new Writable({
    write(bytes: Uint8Array, _encoding, done) {
      try {
        writeWhole(bytes)
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

function isFile(): boolean {
  try {
    return fstatSync(STDOUT).isFile()
  } catch {
    // Standard output is closed.
    return false
  }
}

function writeWhole(bytes: Uint8Array): void {
  const before = fstatSync(STDOUT).size
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(STDOUT, bytes, written)
  } catch (error) {
    const isAtEnd = fstatSync(STDOUT).size === before + written
    if (written > 0 && isAtEnd) ftruncateSync(STDOUT, before)
    throw error
  }
}
