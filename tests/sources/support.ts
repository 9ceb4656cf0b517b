/** Bytes that differ from place to place, so that no two pieces of them are alike. */
export function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >>> 8)) & 0xff
  return bytes
}

/** The same in pieces, one after the other. */
export async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A web stream of pieces, and what it was cancelled with. */
export function streamOf(given: Iterable<unknown>, cancelled: unknown[] = []): ReadableStream<Uint8Array> {
  const left = given[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = left.next()
      if (done) controller.close()
      else controller.enqueue(value as Uint8Array)
    },
    cancel(reason) {
      cancelled.push(reason)
    },
  })
}
