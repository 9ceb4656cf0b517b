// The published package.json: what of the checkout's own concerns who installs the package, and for each of its names what every kind
// of importer gets.

import { INSTALLED, manifest, published, WORKER } from './names.mjs'

const KEPT = [
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'license', 'repository', 'type'],
  ...['engines', 'peerDependencies', 'peerDependenciesMeta'],
]

/** Imported for nothing else. */
const EFFECTS = ['core', 'reference', 'algorithms']

export function publishedManifest() {
  return {
    ...Object.fromEntries(KEPT.map((field) => [field, manifest[field]])),
    dependencies: Object.fromEntries(INSTALLED.map((name) => [name, manifest.dependencies[name]])),
    // See effects.mjs.
    sideEffects: [
      ...EFFECTS.map((name) => `./dist/esm/${name}.js`),
      ...['./dist/cjs/*.cjs', './dist/browser/*.js', WORKER],
    ],
    files: ['dist', 'crate', 'tests', 'examples'],
    bin: { alvarium: 'dist/esm/alvarium.js' },
    main: './dist/cjs/default.cjs',
    browser: './dist/browser/default.js',
    unpkg: './dist/browser/script.js',
    jsdelivr: './dist/browser/script.js',
    types: './dist/cjs/default.d.cts',
    typesVersions: { '*': Object.fromEntries(oldTypes()) },
    exports: mapped(manifest.exports, exported),
    imports: mapped(manifest.imports, (targets) => mapped(targets, published)),
  }
}

/** The same names, each with what becomes of its value. */
function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

/** For TypeScript's `node10`, which looks at no `exports`. */
function oldTypes() {
  const names = Object.keys(manifest.exports).flatMap((name) => name.match(/(?<=^\.\/)[^.]+$/)?.[0] ?? [])
  const files = names
    .filter((name) => name !== 'pool/worker')
    .map((name) => [name, name.replaceAll('/', '-')])
  return [
    ...files.map(([name, file]) => [name, [`./dist/cjs/${file}.d.cts`]]),
    ...['schema.json', 'trust.schema.json', 'judge.schema.json'].map((name) => [name, [`./dist/${name}`]]),
  ]
}

function exported(path) {
  if (path === WORKER) return { types: path.replace('.js', '.d.ts'), default: path }
  if (path.endsWith('.wasm')) return { types: `${path}.d.ts`, default: path }
  if (!path.endsWith('.js')) return path
  const esm = published(path)
  const cjs = esm.replace('/esm/', '/cjs/').replace(/\.js$/, '.cjs')
  return {
    import: { types: esm.replace(/\.js$/, '.d.ts'), default: esm },
    // Node's, where it can require ES modules, and bundlers': so that there is one copy of each class.
    'module-sync': esm,
    module: esm,
    require: { types: cjs.replace(/\.cjs$/, '.d.cts'), default: cjs },
    default: esm,
  }
}
