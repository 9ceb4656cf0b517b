import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

// What a page pays for the core, and for the other algorithms where it needs them. A few hundred bytes are left for other
// versions of the compiler. Lower it when they get smaller; raise it only for something that is worth it.
it.each([
  ['core', 84_800],
  ['algorithms', 112_000],
])('%s.wasm is at most %i bytes of gzip', async (name, most) => {
  const module = await readFile(new URL(`../../dist/${name}.wasm`, import.meta.url))
  expect(gzipSync(module, { level: 9 }).length).toBeLessThanOrEqual(most)
})
