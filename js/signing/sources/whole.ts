import { unlessAborted } from '../../foundation/base/time/abort.js'
import type { Digested, SourceOptions } from '../../foundation/model/payload.js'
import { tell } from './progress.js'
import { otherSize, unreadable } from './refusals.js'

/** Limit of the bytes of blobs that are in memory for WebCrypto, which hashes only complete data. */
const MOST_BYTES = 64 * 1024 * 1024

let held = 0

/** Returns the SHA-256 of a blob by WebCrypto; undefined without WebCrypto, and for blobs that exceed the limit. */
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
