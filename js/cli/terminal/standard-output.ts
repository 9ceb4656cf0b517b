import { fstatSync, ftruncateSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'

const STDOUT = 1

/**
 * Returns the standard output. If it is a file, each message is written completely or not at all. On a full
 * disk, Node.js would leave a partial line in the file, acknowledge the message, and append the next one to
 * that line.
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
  let offset = 0
  try {
    while (offset < bytes.length) offset += writeSync(STDOUT, bytes, offset)
  } catch (error) {
    const isAtEnd = fstatSync(STDOUT).size === before + offset
    if (offset > 0 && isAtEnd) ftruncateSync(STDOUT, before)
    throw error
  }
}
