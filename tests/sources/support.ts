/** Returns bytes that vary with their position, so that no two pieces are equal. */
export function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >>> 8)) & 0xff
  return bytes
}

export async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Returns a web stream of pieces, and records the reason of its cancellation. */
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
