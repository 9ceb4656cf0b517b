import { assertBytes, expected } from '../../foundation/base/errors.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import type { HashName } from '../../foundation/model/bundle.js'
import {
  DIGEST,
  type Digestion,
  type PayloadSource,
  type SourceDigest,
  type SourceOptions,
} from '../../foundation/model/payload.js'
import { platform } from '../../foundation/platform/platform.js'
import { SourceHasher } from './hasher.js'
import type { ReadableSource } from './pieces.js'
import { reportProgress, SourceReading } from './reading.js'
import { sizeChanged, unreadable } from './source-errors.js'

/**
 * Reads a source to its end and hashes it, with bounded memory. Throws the errors of `digestSource`. If the signal
 * aborted before this module was loaded, the source is cancelled but not read, so that its owner learns of the abort.
 */
export async function digestOf(source: PayloadSource, digestion: Digestion): Promise<SourceDigest> {
  const { hash, signal } = digestion
  assertHashed(hash)
  if (DIGEST in source) return unlessAborted(source[DIGEST](hash), signal)
  const isForWebCrypto = hash === 'sha256' && digestion.engine !== 'wasm' && !platform.hostHasher
  const found = isForWebCrypto && 'arrayBuffer' in source && (await digestWhole(source, digestion))
  return found || digestPieces(source, digestion)
}

function assertHashed(hash: HashName): void {
  if (hash !== 'none') return
  const bytes = 'a Uint8Array with hash none'
  throw expected('PAYLOAD_INVALID', 'payload', bytes, 'a source')
}

async function digestPieces(
  source: ReadableSource,
  { hash, engine, ...options }: Digestion,
): Promise<SourceDigest> {
  const hasher = new SourceHasher(hash, engine)
  try {
    const reading = new SourceReading(source, options)
    try {
      const took = () => reading.reportBytes(hasher.size)
      await reading.each((piece) => {
        assertBytes(piece, 'payload: each piece')
        const turn = hasher.add(piece)
        if (turn) return turn.then(took)
        took()
        return undefined
      })
      reading.end(hasher.size)
    } catch (error) {
      reading.cancel(error)
      throw error
    }
    return hasher.finish()
  } finally {
    hasher.free()
  }
}

/** Maximum size of all blobs that are in memory for WebCrypto, in bytes. WebCrypto cannot hash in pieces. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024

let bytesInMemory = 0

/** Returns the SHA-256 of a blob by WebCrypto. Returns undefined without WebCrypto, or above `MAX_WHOLE_BYTES`. */
async function digestWhole(
  blob: Blob,
  { signal, onProgress }: SourceOptions,
): Promise<SourceDigest | undefined> {
  const { size } = blob
  signal?.throwIfAborted()
  if (!globalThis.crypto?.subtle || !(bytesInMemory + size <= MAX_WHOLE_BYTES)) return undefined
  const digest = await unlessAborted(hashWhole(blob, size), signal)
  reportProgress(onProgress, { bytes: size, size })
  return { digest, size }
}

async function hashWhole(blob: Blob, size: number): Promise<Uint8Array> {
  bytesInMemory += size
  try {
    const bytes = await blob.arrayBuffer()
    if (bytes.byteLength !== size) throw sizeChanged(size, bytes.byteLength)
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  } catch (error) {
    throw unreadable(error)
  } finally {
    bytesInMemory -= size
  }
}
