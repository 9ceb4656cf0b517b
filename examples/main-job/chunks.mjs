/** Format of files other than CSV and NDJSON: each 64 KiB are one payload, and `mutate` compresses it. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readRecords } from 'alvarium-sdk/records'

const CHUNK_BYTES = 64 * 1024
const compress = promisify(gzip)

/** @type {import('./dataset.mjs').Format} */
export const chunksFormat = {
  name: 'binary',
  unit: 'chunks',
  completeMeans: 'the chunk is a full 64 KiB',
  mutateMeans: 'compressed with gzip',
  payloads: readChunks,
  isComplete: (payload) => payload.length === CHUNK_BYTES,
  transform: (payload) => compress(payload),
}

/** @type {import('./dataset.mjs').Format['payloads']} */
async function* readChunks(file) {
  const pieces = readRecords(file, { format: 'chunks', chunkBytes: CHUNK_BYTES })
  for await (const { bytes } of pieces) yield bytes
}
