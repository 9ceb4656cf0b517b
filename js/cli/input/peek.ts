/**
 * Reads the first pieces of a source.
 *
 * @param isEnough - called with each piece and the number of bytes so far
 * @returns the pieces that were read, whether the source ended with them, and all pieces from the beginning. Use
 *   `head` before `bytes`, which takes the pieces out of it, so that memory holds none after it was used
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  isEnough: (piece: Uint8Array, length: number) => boolean,
): Promise<{
  readonly head: readonly Uint8Array[]
  readonly hasEnded: boolean
  readonly bytes: AsyncGenerator<Uint8Array, void>
}> {
  const rest = source[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let length = 0
  let next = await rest.next()
  while (!next.done) {
    head.push(next.value)
    length += next.value.length
    if (isEnough(next.value, length)) break
    next = await rest.next()
  }
  return { head, hasEnded: next.done === true, bytes: following(head, rest) }
}

async function* following(
  head: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* head.splice(0)
  yield* { [Symbol.asyncIterator]: () => rest }
}
