import { type FileHandle, open } from 'node:fs/promises'
import { unreadable } from '../input/files.js'
import { allOf, type InputSource } from '../input/source.js'
import { ParquetFault } from './fault.js'

export const MAX_RANGE_BYTES = 1024 * 1024 * 1024

/** Random access to a file. Parquet files have their metadata at the end. */
export interface Ranges {
  readonly byteLength: number
  slice(start: number, end?: number): Promise<ArrayBuffer>
  close(): Promise<void>
}

/**
 * Opens a file for random access. Reads a source without a path, such as standard input, into memory.
 *
 * @throws Unreadable if the file cannot be read; AlvariumError `CONFIG_INVALID` for a source without a path
 * above 1 GiB
 */
export async function openRanges(source: InputSource): Promise<Ranges> {
  if (source.path === undefined) return inMemory(await allOf(source))
  const { path, addBytes = () => {} } = source
  const failed = (error: unknown) => {
    throw unreadable(path, error)
  }
  const file = await open(path).catch(failed)
  const { size } = await file.stat()
  return {
    byteLength: size,
    async slice(start, end = size) {
      assertRange(start, end, size)
      const bytes = await read(file, start, end).catch(failed)
      addBytes(end - start)
      return bytes
    },
    close: () => file.close(),
  }
}

function inMemory(all: Uint8Array): Ranges {
  return {
    byteLength: all.length,
    async slice(start, end = all.length) {
      assertRange(start, end, all.length)
      return Uint8Array.from(all.subarray(start, end)).buffer
    },
    async close() {},
  }
}

function assertRange(start: number, end: number, size: number): void {
  if (end - start > MAX_RANGE_BYTES)
    throw new ParquetFault(`ranges of at most ${MAX_RANGE_BYTES} bytes`, 'a longer range')
  if (!(start >= 0 && start <= end && end <= size))
    throw new ParquetFault('a range of bytes within the file', `${start} to ${end}`)
}

async function read(file: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start)
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at)
    if (bytesRead === 0) throw new Error('the file became shorter while it was read')
    at += bytesRead
  }
  return bytes.buffer
}
