/** Any other file: every 64 KiB become one payload, which is compressed further on. */
import { createReadStream } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const CHUNK_BYTES = 64 * 1024
const compress = promisify(gzip)

/** @type {import('./dataset.mjs').Format} */
export const chunksFormat = {
  name: 'binary',
  unit: 'chunks',
  completeMeans: 'the chunk is a full 64 KiB',
  mutateMeans: 'compressed with gzip',
  payloads: (path) => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
  isComplete: (payload) => payload.length === CHUNK_BYTES,
  transform: (payload) => compress(payload),
}
