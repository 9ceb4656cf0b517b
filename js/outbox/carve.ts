import { MAGIC, wholeRecord } from './record.js'

/** LevelDB cuts its logs into blocks, each of which begins with a header of its own. */
const BLOCK = 32_768
const BLOCK_HEADER = 7

/**
 * Every intact record in a file of LevelDB's, wherever it is: neither the file's structure nor its name matters. In tables a
 * record lies in one piece; in logs, in one piece but for the headers of blocks.
 */
export function carve(file: Uint8Array): Uint8Array[] {
  return [...records(file), ...records(withoutHeaders(file))]
}

function* records(bytes: Uint8Array): Generator<Uint8Array> {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = searched.indexOf(MAGIC); at >= 0; ) {
    const record = wholeRecord(bytes, at)
    if (record) yield record
    at = searched.indexOf(MAGIC, at + (record?.length ?? 1))
  }
}

function withoutHeaders(file: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(file.length)
  let length = 0
  for (let at = 0; at < file.length; at += BLOCK) {
    const block = file.subarray(at + BLOCK_HEADER, at + BLOCK)
    bytes.set(block, length)
    length += block.length
  }
  return bytes.subarray(0, length)
}
