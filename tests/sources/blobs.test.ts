// @internal: Node has a hash of its own, so that it never reads blobs in this way
import { describe, expect, it, onTestFinished } from 'vitest'
import { blobPieces } from '../../dist/signing/sources/blob.js'
import { bytesOf } from './support.js'

const MIB = 1024 * 1024

async function allOf(pieces: ReturnType<typeof blobPieces>): Promise<Uint8Array> {
  const read: Uint8Array<ArrayBuffer>[] = []
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    // The pieces share memory.
    read.push((next.value as Uint8Array<ArrayBuffer>).slice())
  }
  pieces.end()
  return new Uint8Array(await new Blob(read).arrayBuffer())
}

/** A Blob as on platforms whose streams fill no buffer. */
class Unfilling extends Blob {
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream()
  }
}

/** A file as in Chromium when it is edited while its stream is read. */
class Edited extends Blob {
  override slice(): Blob {
    const gone = { arrayBuffer: () => Promise.reject(new DOMException('it was edited', 'NotReadableError')) }
    return gone as unknown as Blob
  }
}

/** A file as in Chromium when it is removed. */
class Removed extends Blob {
  override slice(): Blob {
    return new Blob()
  }
}

/** Garbage collector, in Chromium by the flags of tests/browsers/provider.ts. */
const { gc } = globalThis as { gc?: () => void }

describe('a Blob on a platform without incremental hashing', () => {
  it.each([0, 1, MIB, 1.5 * MIB])('is read completely: %i bytes', async (size) => {
    const bytes = bytesOf(size)
    for (const blob of [new Blob([bytes]), new Unfilling([bytes])]) {
      const read = await allOf(blobPieces(blob))
      expect(read.length).toBe(size)
      expect(read.every((byte, at) => byte === bytes[at])).toBe(true)
    }
  })

  it('is read completely even if the garbage collector runs and only the reader refers to the Blob', async () => {
    const timer = setInterval(() => gc?.(), 1)
    onTestFinished(() => clearInterval(timer))
    for (let at = 0; at < 8; at++)
      expect((await allOf(blobPieces(new Blob([bytesOf(3 * MIB)])))).length).toBe(3 * MIB)
  })

  it('is refused if it changes before its end', async () => {
    await expect(allOf(blobPieces(new Edited(['hello'])))).rejects.toMatchObject({ name: 'NotReadableError' })
    await expect(allOf(blobPieces(new Removed(['hello'])))).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
  })
})
