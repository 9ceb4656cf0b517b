import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const moduleOf = (name: string) => readFile(new URL(`../../dist/${name}.wasm`, import.meta.url))

// Bytes of the core, and of the other algorithms, which a page loads on demand. A few hundred bytes are left for
// other versions of the compiler. Lower a limit when they get smaller; raise it only with a good reason.
// claim: runtimes-9
it.each([
  ['core', 93_000],
  ['algorithms', 110_700],
])('%s.wasm has at most %i bytes after gzip', async (name, most) => {
  expect(gzipSync(await moduleOf(name), { level: 9 }).length).toBeLessThanOrEqual(most)
})

it.each(['core', 'reference', 'algorithms'])('%s.wasm contains no long run of zeros', async (name) => {
  expect((await moduleOf(name)).indexOf(new Uint8Array(256))).toBe(-1)
})
