// Bundles and minifies the parts of an entry point that a serverless function uses. Parts that are imported
// on demand become separate files.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const USED = {
  'alvarium-sdk': 'memory, openSdk, source',
  'alvarium-sdk/verify': 'Keyring, verifyMessage',
}

/** @param {keyof typeof USED} entry @param {string} folder @returns {Promise<string>} the path of the bundle */
export async function bundled(entry, folder) {
  const input = join(folder, `${entry.replace('/', '-')}-used.mjs`)
  const file = input.replace('-used', '')
  await writeFile(input, `export { ${USED[entry]} } from '${entry}'\n`)
  const alias = { [entry]: fileURLToPath(import.meta.resolve(entry)) }
  const bundle = await rolldown({ input, platform: 'node', resolve: { alias }, logLevel: 'silent' })
  await bundle.write({
    dir: folder,
    entryFileNames: `${entry.replace('/', '-')}.mjs`,
    format: 'esm',
    minify: true,
  })
  await bundle.close()
  return file
}
