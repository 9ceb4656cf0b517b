import { unlessAborted } from '../base/time/abort.js'
import type { Digested, SourceOptions } from '../model/payload.js'
import { tell } from './progress.js'
import { otherSize, unreadable } from './refusals.js'

/** So many bytes of blobs are in memory at a time for WebCrypto, which hashes only what is all there. */
const MOST_BYTES = 64 * 1024 * 1024

let held = 0

/** The SHA-256 of a blob by WebCrypto; undefined where there is none, and of what had better be read in pieces. */
export async function digestAtOnce(
  blob: Blob,
  { signal, onProgress }: SourceOptions,
): Promise<Digested | undefined> {
  const { size } = blob
  signal?.throwIfAborted()
  if (!globalThis.crypto?.subtle || !(held + size <= MOST_BYTES)) return undefined
  const digest = await unlessAborted(hashed(blob, size), signal)
  tell(onProgress, { bytes: size, size })
  return { digest, size }
}

async function hashed(blob: Blob, size: number): Promise<Uint8Array> {
  held += size
  try {
    const bytes = await blob.arrayBuffer()
    if (bytes.byteLength !== size) throw otherSize(size, bytes.byteLength)
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  } catch (error) {
    throw unreadable(error)
  } finally {
    held -= size
  }
}
