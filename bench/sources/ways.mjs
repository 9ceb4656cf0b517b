// Contenders for hashing without a host's hash, as in pages and Workers: the core, and alternatives.

import { keyOf } from 'alvarium-sdk'

const PIECE_BYTES = 65_536
const PIECES = 16
const MIB = 1024 * 1024

/** Random bytes, made on first use: Workers have none before a request. @type {Uint8Array | undefined} */
let memory
const piece = () => {
  memory ??= crypto.getRandomValues(new Uint8Array(PIECE_BYTES))
  return memory
}

/** @param {number} mib @returns {ReadableStream<Uint8Array>} */
export function streamOf(mib) {
  let left = PIECES * mib
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(piece())
      else controller.close()
    },
  })
}

/** @param {number} mib */
export async function* piecesOf(mib) {
  for (let left = PIECES * mib; left > 0; left--) yield piece()
}

/** @param {number} mib length of the concatenated pieces */
function bytesOf(mib) {
  const bytes = new Uint8Array(mib * MIB)
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) bytes.set(piece(), at)
  return bytes
}

/**
 * Returns functions that each hash the same bytes. They share no state.
 *
 * @param {number} mib
 * @returns {Record<string, () => unknown>}
 */
export function waysOf(mib) {
  const bytes = bytesOf(mib)
  const blob = new Blob([bytes])
  return {
    'the core, in memory': () => keyOf(bytes, 'sha256', 'wasm'),
    stream: () => keyOf(streamOf(mib)),
    'async iterable': () => keyOf(piecesOf(mib)),
    'Blob in pieces': () => keyOf(blob, 'sha256', { engine: 'wasm' }),
    'Blob, by WebCrypto': () => keyOf(blob),
    'subtle.digest of it': async () => crypto.subtle.digest('SHA-256', await blob.arrayBuffer()),
  }
}
