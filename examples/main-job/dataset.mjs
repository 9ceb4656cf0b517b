import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { chunksFormat } from './chunks.mjs'
import { csvFormat, ndjsonFormat } from './records.mjs'

/**
 * @typedef {object} Format
 * @property {string} name
 * @property {string} unit what one payload is, in the plural
 * @property {string} completeMeans what the annotator `complete` looks at
 * @property {string} mutateMeans what becomes of a payload
 * @property {(path: string) => AsyncIterable<Uint8Array>} payloads
 * @property {(payload: Uint8Array) => boolean} isComplete
 * @property {(payload: Uint8Array, origin: Origin) => Uint8Array | Promise<Uint8Array>} transform
 */

/** @typedef {{ source: string, row: number }} Origin where a payload came from */

/** @typedef {Format & { path: string, source: string, bytes: number }} Dataset */

/** @type {Record<string, Format>} */
const FORMATS = { '.csv': csvFormat, '.ndjson': ndjsonFormat, '.jsonl': ndjsonFormat }

/**
 * @param {string} path
 * @returns {Promise<Dataset>}
 */
export async function openDataset(path) {
  const info = await stat(path).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? `${path}: there is no such file` : error.message)
  })
  if (!info.isFile()) throw new Error(`${path}: expected a file`)
  if (info.size === 0) throw new Error(`${path}: the file is empty`)
  const format = FORMATS[extname(path).toLowerCase()] ?? chunksFormat
  return { ...format, path, source: basename(path), bytes: info.size }
}
