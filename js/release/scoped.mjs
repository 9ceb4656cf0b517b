// Writes scoped/: the package under a scoped name, for npm and JSR. Its modules re-export the modules of
// `alvarium-sdk` of the same version, so that only one package contains code.
//
//   node js/release/scoped.mjs [folder]   then `npm publish ./scoped --access public`, and `npx jsr publish` in scoped/

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifest, root, WORKER } from '../build/package/names.mjs'

/** Scoped name of the package, defined only here. */
const SCOPE_NAME = '@alvarium/sdk'

const { name, version, description, license, repository, homepage, bugs, engines } = manifest
const [out = join(root, 'scoped')] = process.argv.slice(2)
/** Names in `exports` that are modules to import: `.`, `./pool`, `./sources/node`. */
const paths = Object.entries(manifest.exports)
  .filter(([, file]) => file.endsWith('.js') && file !== WORKER)
  .map(([path]) => path)
/** Returns the file name of an export without extension: `./sources-node`. @param {string} path */
const fileOf = (path) => (path === '.' ? './index' : `./${path.slice(2).replaceAll('/', '-')}`)

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
for (const path of paths) {
  const target = JSON.stringify(`${name}${path.slice(1)}`)
  const text = `export * from ${target}\n`
  for (const ending of ['js', 'd.ts', 'ts']) writeFileSync(join(out, `${fileOf(path)}.${ending}`), text)
}
writeJson('package.json', {
  name: SCOPE_NAME,
  version,
  description,
  license,
  repository,
  homepage,
  bugs,
  engines,
  type: 'module',
  files: ['*.js', '*.d.ts'],
  dependencies: { [name]: version },
  exports: Object.fromEntries(
    paths.map((path) => [path, { types: `${fileOf(path)}.d.ts`, default: `${fileOf(path)}.js` }]),
  ),
})
writeJson('jsr.json', {
  name: SCOPE_NAME,
  version,
  license,
  exports: Object.fromEntries(paths.map((path) => [path, `${fileOf(path)}.ts`])),
  imports: { [name]: `npm:${name}@${version}` },
  publish: { include: ['*.ts', 'jsr.json', 'README.md'], exclude: ['*.d.ts'] },
})
writeFileSync(
  join(out, 'README.md'),
  `# ${SCOPE_NAME}\n\nThe package \`${name}\` under a scoped name. ${description}.\n`,
)

function writeJson(file, value) {
  writeFileSync(join(out, file), `${JSON.stringify(value, undefined, 2)}\n`)
}
