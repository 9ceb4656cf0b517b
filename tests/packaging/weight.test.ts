import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, inject, it } from 'vitest'
import { printed } from './packed.js'

/** Bytes of gzip that a page pays for, the core included unless it is from slim. README has them in kB. */
it.each([
  ['* as verifying', 'alvarium-sdk/verify', 128_000],
  ['* as everything', 'alvarium-sdk', 260_000],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk/verify', 122_500],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk', 122_500],
  ['{ verifyMessage, Keyring }', 'alvarium-sdk/slim', 12_000],
])('%s of %s weighs less than %i bytes', async (names, entry, most) => {
  const { folder } = inject('packed')
  const input = join(folder, 'weight.mjs')
  await writeFile(input, `import ${names} from '${entry}'\nconsole.log(${names.replace('* as ', '')})\n`)
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
  await bundle.close()
  expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThan(most)
})

it('alvarium-sdk/verify has what verifies, and nothing that seals or publishes', async () => {
  const { folder } = inject('packed')
  expect(JSON.parse(await printed('node', ['node-verify/main.mjs'], folder))).toEqual({
    payloadChecked: true,
    missing: ['openSdk', 'mqtt', 'generateKey', 'subscribe'],
    required: 'function',
  })
})
