import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { chunksFormat } from './chunks.mjs'
import { csvFormat, ndjsonFormat } from './records.mjs'

/**
 * @typedef {object} Format
 * @property {string} name
 * @property {string} unit plural name for payloads
 * @property {string} completeMeans question that the annotator `complete` answers
 * @property {string} mutateMeans effect of the transformation
 * @property {(file: import('node:fs').ReadStream) => AsyncIterable<Uint8Array>} payloads
 * @property {(payload: Uint8Array) => boolean} isComplete
 * @property {(payload: Uint8Array, origin: Origin) => Uint8Array | Promise<Uint8Array>} transform
 */

/** @typedef {{ source: string, row: number }} Origin file and row that a payload comes from */

/**
 * @typedef {Omit<Format, 'payloads'> & { path: string, source: string, bytes: number, read: () => Reading }}
 * Dataset
 *
 * @typedef {object} Reading
 * @property {() => AsyncGenerator<Uint8Array, void>} payloads
 * @property {() => number} share share of the file that was read, or of the limit if there is one, from 0 to 1
 */

/** @type {Record<string, Format>} */
const FORMATS = { '.csv': csvFormat, '.ndjson': ndjsonFormat, '.jsonl': ndjsonFormat }

/** Number of payloads that are read to test a file. Unreadable files mostly fail at the beginning. */
const TRIED = 1000

/**
 * Opens a file, and tests whether its first payloads can be read.
 *
 * @param {string} path
 * @param {number} [limit] maximum number of payloads, all by default
 * @returns {Promise<Dataset>}
 */
export async function openDataset(path, limit = Number.POSITIVE_INFINITY) {
  const info = await stat(path).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? `${path}: there is no such file` : error.message)
  })
  if (!info.isFile()) throw new Error(`${path}: expected a file`)
  if (info.size === 0) throw new Error(`${path}: the file is empty`)
  const { payloads, ...format } = FORMATS[extname(path).toLowerCase()] ?? chunksFormat
  const read = (most = limit) => readingOf(path, info.size, payloads, most)
  const first = read(Math.min(TRIED, limit))
  let tried = 0
  for await (const _ of first.payloads()) tried++
  if (tried === 0) throw new Error(`${path}: the file has no ${format.unit}`)
  return { ...format, path, source: basename(path), bytes: info.size, read }
}

/**
 * @param {string} path
 * @param {number} size bytes
 * @param {Format['payloads']} payloads
 * @param {number} most
 * @returns {Reading}
 */
function readingOf(path, size, payloads, most) {
  // Read in small pieces, so that the progress shown advances in small steps.
  const file = createReadStream(path, { highWaterMark: 16 * 1024 })
  let taken = 0
  return {
    async *payloads() {
      try {
        for await (const payload of payloads(file)) {
          yield payload
          if (++taken >= most) return
        }
      } catch (error) {
        throw new Error(`${path}: ${error.message}`, { cause: error })
      } finally {
        file.destroy()
      }
    },
    share: () => (most === Number.POSITIVE_INFINITY ? file.bytesRead / size : taken / most),
  }
}
