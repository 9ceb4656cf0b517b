/** Any other file: every 64 KiB become one payload, which is compressed further on. */
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
  payloads: readChunks,
  isComplete: (payload) => payload.length === CHUNK_BYTES,
  transform: (payload) => compress(payload),
}

/** The stream reads as much at a time as its buffer takes. @type {import('./dataset.mjs').Format['payloads']} */
async function* readChunks(file) {
  let rest = new Uint8Array(0)
  for await (const piece of file) {
    const bytes = Buffer.concat([rest, piece])
    const whole = bytes.length - (bytes.length % CHUNK_BYTES)
    for (let at = 0; at < whole; at += CHUNK_BYTES) yield new Uint8Array(bytes.subarray(at, at + CHUNK_BYTES))
    rest = bytes.subarray(whole)
  }
  if (rest.length > 0) yield new Uint8Array(rest)
}
