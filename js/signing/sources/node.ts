/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/sources/node`: files as payloads.

import type { BigIntStats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { type AlvariumError, expected } from '../../foundation/base/errors.js'
import { shownPath } from '../../foundation/base/text/text.js'

/** A file as a payload. Each iteration reads the file again, in pieces. */
export interface FileSource extends AsyncIterable<Uint8Array> {
  /** Size of the file in bytes. */
  readonly size: number
}

/**
 * Opens a file of any length as a payload, for the calls of an SDK, `keyOf` and `verifyMessage`. It resembles
 * `openAsBlob` of `node:fs`, and is faster. It works in Node, Deno and Bun. You can read the result repeatedly. Until
 * the last byte has been read, the file must stay the same: its inode, its size, and its times of modification and
 * change.
 *
 * A program that mapped the file into memory before can still alter it unnoticed, because the times of the file may
 * change later than its contents. If such a program is a threat, sign a copy that nobody else can write to.
 *
 * A piece is valid until the next one is requested, because pieces share memory.
 *
 * @throws AlvariumError `PAYLOAD_INVALID` if the file does not exist, or is not a regular file (read a pipe
 * by `createReadStream`). Reading rejects with this code if the file may not be read, or has changed
 *
 * @example
 * ```ts
 * import { openAsSource } from 'alvarium-sdk/sources/node'
 *
 * const key = await keyOf(await openAsSource('measurements.parquet'))
 * ```
 */
export async function openAsSource(path: string | URL): Promise<FileSource> {
  const found = await readable(path, () => stat(path, { bigint: true }))
  if (!found.isFile()) throw invalid(path, 'a regular file', 'a folder or a device')
  return { size: Number(found.size), [Symbol.asyncIterator]: () => piecesOf(path, found) }
}

/** Length of a piece in bytes. The next piece is read while the previous one is hashed. */
const PIECE_BYTES = 256 * 1024

async function* piecesOf(path: string | URL, found: BigIntStats): AsyncGenerator<Uint8Array, void> {
  const file = await readable(path, () => open(path))
  try {
    await assertSame(path, file, found)
    let [memory, other] = [new Uint8Array(PIECE_BYTES), new Uint8Array(PIECE_BYTES)]
    let coming = read(file, memory)
    for (;;) {
      const { bytesRead } = await readable(path, () => coming)
      if (bytesRead === 0) break
      coming = read(file, other)
      yield memory.subarray(0, bytesRead)
      ;[memory, other] = [other, memory]
    }
    await assertSame(path, file, found)
  } finally {
    await file.close()
  }
}

/** Begins to read a piece. If that fails while nobody awaits it, the unhandled rejection does not end the process. */
function read(file: FileHandle, memory: Uint8Array) {
  const reading = file.read(memory, 0, memory.length)
  reading.catch(() => {})
  return reading
}

async function assertSame(path: string | URL, file: FileHandle, before: BigIntStats): Promise<void> {
  const now = await readable(path, () => file.stat({ bigint: true }))
  const changed = (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).find(
    (one) => now[one] !== before[one],
  )
  if (changed) throw invalid(path, 'a file that does not change while it is read', WORDS[changed])
}

const WORDS = {
  dev: 'another file in its place',
  ino: 'another file in its place',
  size: 'another size',
  mtimeNs: 'another time of modification',
  ctimeNs: 'another time of change',
}

async function readable<T>(path: string | URL, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    throw invalid(path, 'a file that can be read', undefined, cause)
  }
}

function invalid(path: string | URL, expectation: string, got?: string, cause?: unknown): AlvariumError {
  return expected('PAYLOAD_INVALID', shownPath(`${path}`), expectation, got, cause)
}
