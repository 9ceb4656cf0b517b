import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileOptions, type FileStream, file } from 'alvarium-sdk/file'
import { beforeEach, onTestFinished } from 'vitest'
import { closing } from './receiving.js'

/** Path for the streams of a test, in a new folder, which is removed after the test. */
export const place = { folder: '', path: '' }

export function eachInAFolder(): void {
  beforeEach(async () => {
    place.folder = await mkdtemp(join(tmpdir(), 'alvarium-file-'))
    place.path = join(place.folder, 'audit.ndjson')
    onTestFinished(() => rm(place.folder, { recursive: true }))
  })
}

/** Opens a stream, and closes it when the test is over. */
export async function opened(options: Partial<FileOptions> = {}): Promise<FileStream> {
  const stream = closing(file({ path: place.path, ...options }))
  await stream.connect()
  return stream
}
