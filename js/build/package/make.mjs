// Makes `package/`: what is published, out of the compiled modules in dist/. Bundles are read faster, and take less room, than modules; the
// tests have the modules, and tests/packaging and tests/matrix what is made here.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleMqtt } from '../bundles.mjs'
import { writeNotices } from '../notices.mjs'
import { writeWithoutEffects } from './effects.mjs'
import { publishedManifest } from './manifest.mjs'
import { out, root, TEXTS } from './names.mjs'
import { bundlePages } from './pages.mjs'
import { bundlePrograms } from './programs.mjs'
import { bundleTypes } from './types.mjs'

/** What is published as it is. */
const COPIED = [
  ...TEXTS,
  'dist/pool/worker.js',
  ...['core', 'reference', 'algorithms'].flatMap((name) => [`dist/${name}.wasm`, `dist/${name}.wasm.d.ts`]),
]

/** What is published without the room that it has for readers: programs read it. */
const SHORTENED = ['dist/schema.json', 'dist/trust.schema.json', 'dist/judge.schema.json']

export async function makePackage() {
  rmSync(out, { recursive: true, force: true })
  for (const path of COPIED) copy(path)
  for (const path of SHORTENED)
    write(path, JSON.stringify(JSON.parse(readFileSync(join(root, path), 'utf8'))))
  write('dist/pool/worker.d.ts', 'export {}\n')
  const modules = [...(await bundleMqtt(root))]
  modules.push(...(await bundlePrograms()), ...(await bundlePages()))
  writeWithoutEffects()
  await bundleTypes()
  writeNotices(modules, join(out, 'dist/THIRD-PARTY-NOTICES.txt'))
  write('package.json', `${JSON.stringify(publishedManifest(), undefined, 2)}\n`)
}

function copy(path) {
  if (!existsSync(join(root, path)))
    throw new Error(`package: expected ${path}, which is published, got none`)
  cpSync(join(root, path), join(out, path))
}

function write(path, text) {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
}
