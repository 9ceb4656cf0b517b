// Seals a folder of images, proves that one image is in the set and another is not, and verifies both proofs. CI
// runs this:
//
//   node examples/image-set/run.mjs [IMAGES]

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateKey, toHex } from 'alvarium-sdk'
import '../shared/program.mjs'
import { green } from '../shared/terminal.mjs'
import { bitmap, writeImages } from './images.mjs'

const folder = await mkdtemp(join(tmpdir(), 'alvarium-images-'))
const at = (/** @type {string} */ name) => join(folder, name)
try {
  const images = resolve(process.argv[2] ?? (await sample()))
  const { signingKey, verifyingKey } = generateKey()
  await writeFile(at('private.key'), toHex(signingKey), { mode: 0o600 })
  await writeFile(at('public.key'), toHex(verifyingKey))
  run('seal.mjs', images, at('private.key'), folder)

  const [first] = (await readdir(images, { withFileTypes: true })).filter((entry) => entry.isFile())
  assert.ok(first, `${images}: expected an image in this folder`)
  const mine = join(images, first.name)
  run('prove.mjs', at('set.list'), mine, at('yes.json'))
  assert.equal(run('verify.mjs', at('set.json'), at('yes.json'), mine, at('public.key')), 0)

  // Change one pixel, which makes a different image.
  const other = at('other.bmp')
  const altered = bitmap(0)
  altered[100] = (altered[100] ?? 0) + 1
  await writeFile(other, altered)
  run('prove.mjs', at('set.list'), other, at('no.json'))
  assert.equal(run('verify.mjs', at('set.json'), at('no.json'), other, at('public.key')), 3)

  console.log('and the proof of one image for another:')
  assert.equal(run('verify.mjs', at('set.json'), at('yes.json'), other, at('public.key')), 1)
  console.log(green('✓ everything went as expected'))
} finally {
  await rm(folder, { recursive: true })
}

async function sample() {
  await writeImages(at('images'), 1_000)
  return at('images')
}

/** @param {string} script @param {string[]} args @returns {number | null} the exit code */
function run(script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  return spawnSync(process.execPath, [path, ...args], { stdio: ['ignore', 'inherit', 'inherit'] }).status
}
