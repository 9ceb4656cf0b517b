// @slow
// @node-only: it asks for a garbage collection

import { generateKey, keyOf } from 'alvarium-sdk'
import { sealSet } from 'alvarium-sdk/sets'
import { expect, it } from 'vitest'

const PIECE = 1_048_576

/** Yields pieces with separate buffers, as those of a file are. @param look - measures memory now and then */
async function* pieces(count: number, look: () => void) {
  for (let at = 0; at < count; at++) {
    if (at % 16 === 0) look()
    yield new Uint8Array(PIECE).fill(at)
  }
}

/** Returns the growth of memory for bytes during a read, after garbage collection. */
async function grownWhile(read: (look: () => void) => Promise<unknown>): Promise<number> {
  const collect = globalThis.gc as () => void
  const used = () => {
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const before = used()
  let most = 0
  await read(() => {
    most = Math.max(most, used() - before)
  })
  return most
}

// claim: sources-1
it('a source of a gibibyte is hashed with no more memory than a few pieces need', async () => {
  expect(await grownWhile((look) => keyOf(pieces(1_024, look)))).toBeLessThan(32 * PIECE)
})

// claim: sets-6
it('a set of payloads with a gibibyte in total is signed with no more memory than a few payloads need', async () => {
  const { signingKey } = generateKey()
  expect(await grownWhile((look) => sealSet(pieces(1_024, look), { signingKey }))).toBeLessThan(32 * PIECE)
})
