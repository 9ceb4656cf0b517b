/**
 * Reads the first pieces of a source.
 *
 * @param isEnough - called with each piece and the number of bytes so far
 * @returns the bytes that were read, and all bytes of the source from its beginning
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  isEnough: (piece: Uint8Array, length: number) => boolean,
): Promise<{ readonly head: Uint8Array; readonly bytes: AsyncGenerator<Uint8Array, void> }> {
  const rest = source[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let length = 0
  for (let isDone = false; !isDone; ) {
    const { done, value } = await rest.next()
    if (done) break
    read.push(value)
    length += value.length
    isDone = isEnough(value, length)
  }
  const head = Buffer.concat(read)
  return { head, bytes: following(head, rest) }
}

async function* following(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  if (head.length > 0) yield head
  yield* { [Symbol.asyncIterator]: () => rest }
}
