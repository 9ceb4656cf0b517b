// Builds the folders to publish, in `package/`, from the compiled modules in dist/. Bundles load faster and
// are smaller than modules. Most tests load the modules; tests/packaging and tests/matrix load the packages.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { mqttBundle } from '../bundles.mjs'
import { writeNotices } from '../notices.mjs'
import { publishedManifest } from './manifest.mjs'
import { bundleModules } from './modules.mjs'
import { manifest, PACKAGES, root, SDK } from './names.mjs'
import { bundlePages } from './pages.mjs'
import { packedText } from './texts.mjs'
import { bundleTypes } from './types.mjs'

export async function makePackages() {
  rmSync(join(root, 'package'), { recursive: true, force: true })
  for (const one of PACKAGES) {
    const modules = [...(one === SDK ? await pages() : []), ...(await bundleModules(one))]
    await bundleTypes(one)
    for (const path of one.files) copy(path, one.out)
    for (const path of one.files) if (path.endsWith('.md')) linkText(path, one)
    if (one !== SDK) copyTexts(one)
    copySources(one.out)
    writeNotices(one, modules)
    write(one.out, 'package.json', `${JSON.stringify(publishedManifest(one), undefined, 2)}\n`)
  }
}

/** Builds the bundles for pages; only alvarium-sdk has some. Returns the paths of the bundled modules. */
async function pages() {
  write(SDK.out, 'dist/sdk/pool/worker.d.ts', 'export {}\n')
  const mqtt = await mqttBundle(root)
  return [...mqtt.modules, ...(await bundlePages())]
}

function copyTexts({ source, out }) {
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
  cpSync(join(root, source, 'README.md'), join(out, 'README.md'))
}

function copySources(out) {
  const maps = readdirSync(join(out, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.map'))
    .map((name) => join(out, 'dist', name))
  const paths = maps.flatMap((map) =>
    JSON.parse(readFileSync(map, 'utf8')).sources.map((source) => relative(out, join(dirname(map), source))),
  )
  for (const path of new Set(paths)) copy(path, out)
}

/** Rewrites the links of a copied Markdown file so that they work in the package. */
function linkText(path, { out, files }) {
  const text = readFileSync(join(out, path), 'utf8')
  write(out, path, packedText(text, { path, files: new Set(files), homepage: manifest.homepage }))
}

function copy(path, out) {
  if (!existsSync(join(root, path)))
    throw new Error(`package: expected ${path}, which is published, got none`)
  cpSync(join(root, path), join(out, path))
}

function write(out, path, text) {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
}
