import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileOptions, type FileStream, file } from 'alvarium-sdk/file'
import { beforeEach, onTestFinished } from 'vitest'
import { closing } from './receiving.js'

/** Where the streams of a test write: a folder of its own, which is gone after it. */
export const place = { folder: '', path: '' }

/** Call it in the tests' file: each of its tests has another place. */
export function eachInAFolder(): void {
  beforeEach(async () => {
    place.folder = await mkdtemp(join(tmpdir(), 'alvarium-file-'))
    place.path = join(place.folder, 'audit.ndjson')
    onTestFinished(() => rm(place.folder, { recursive: true }))
  })
}

/** A stream that is connected, and closed when the test is over. */
export async function opened(options: Partial<FileOptions> = {}): Promise<FileStream> {
  const stream = closing(file({ path: place.path, ...options }))
  await stream.connect()
  return stream
}
