// Makes `package/`, which is published, from the compiled modules in dist/. Bundles are read faster, and take less room, than modules: the
// tests load the modules, and tests/packaging and tests/matrix the package.

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mqttBundle } from '../bundles.mjs'
import { writeNotices } from '../notices.mjs'
import { publishedManifest } from './manifest.mjs'
import { bundleModules } from './modules.mjs'
import { out, root, TEXTS } from './names.mjs'
import { bundlePages } from './pages.mjs'
import { bundleTypes } from './types.mjs'

/** What is published as it is. */
const COPIED = [
  ...TEXTS,
  ...['worker.js', 'worker.js.map'].map((name) => `dist/pool/${name}`),
  ...['schema.json', 'trust.schema.json', 'judge.schema.json'].map((name) => `dist/${name}`),
  ...['core', 'reference', 'algorithms'].flatMap((name) => [`dist/${name}.wasm`, `dist/${name}.wasm.d.ts`]),
]

export async function makePackage() {
  rmSync(out, { recursive: true, force: true })
  for (const path of [...COPIED, ...sources()]) copy(path)
  const mqtt = await mqttBundle(root)
  const modules = [...mqtt.modules, ...(await bundleModules()), ...(await bundlePages())]
  await bundleTypes()
  write('dist/pool/worker.d.ts', 'export {}\n')
  writeNotices(modules, join(out, 'dist/THIRD-PARTY-NOTICES.txt'))
  write('package.json', `${JSON.stringify(publishedManifest(), undefined, 2)}\n`)
}

/** Returns the paths of the TypeScript to which the maps lead. */
function sources() {
  return readdirSync(join(root, 'js'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.d\.ts$|^build/.test(name))
    .map((name) => `js/${name}`)
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
