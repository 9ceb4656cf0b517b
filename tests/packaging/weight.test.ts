import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const ON_FIRST_USE = '/algorithms/generated/inline.js'

/** Bytes of gzip that a page pays for, the core included unless it is from slim. examples/guide/runtimes.md has them in kB. */
it.each([
  ['* as verifying', 'alvarium-sdk/verify', 135_000],
  ['* as everything', 'alvarium-sdk', 266_500],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk/verify', 128_700],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk', 128_700],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk/slim', 17_900],
])('%s of %s weighs less than %i bytes', async (names, entry, most) => {
  const { folder } = inject('packed')
  const input = join(folder, 'weight.mjs')
  await writeFile(input, `import ${names} from '${entry}'\nconsole.log(${names.replace('* as ', '')})\n`)
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const chunks = output.filter((chunk) => chunk.type === 'chunk')
  const isApart = ({ moduleIds }: { moduleIds: string[] }) =>
    moduleIds.some((id) => id.endsWith(ON_FIRST_USE))
  // What is loaded for keys of another algorithm has its own budget, and is the only chunk that may stay away.
  expect(chunks.filter(isApart)).toHaveLength(entry.endsWith('slim') ? 0 : 1)
  const code = chunks.filter((chunk) => !isApart(chunk)).map((chunk) => chunk.code)
  expect(gzipSync(code.join(''), { level: 9 }).length).toBeLessThan(most)
})

it('alvarium-sdk/verify has what verifies, and nothing that seals or publishes', async () => {
  const { folder } = inject('packed')
  expect(JSON.parse(await printed('node', ['node-verify/main.mjs'], folder))).toEqual({
    payloadChecked: true,
    missing: ['openSdk', 'mqtt', 'generateKey', 'subscribe'],
    required: 'function',
  })
})
