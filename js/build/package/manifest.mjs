// The published package.json: that of the checkout without what concerns the checkout alone, and with the declarations' paths.

import { DEPENDENCIES, manifest, WORKER } from './names.mjs'

const KEPT = [
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'license', 'repository', 'type'],
  ...['engines', 'peerDependencies', 'peerDependenciesMeta', 'bin', 'imports'],
]

const SIDE_EFFECTS = [
  'entries/reference',
  'algorithms/generated/inline',
  'store/pglite-worker',
  'cli/main',
].map((path) => `./dist/${path}.js`)

export function publishedManifest() {
  return {
    ...Object.fromEntries(KEPT.map((field) => [field, manifest[field]])),
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, manifest.dependencies[name]])),
    sideEffects: [...SIDE_EFFECTS, './dist/browser/*.js', WORKER],
    files: ['dist', 'js', 'crate', 'examples'],
    browser: './dist/browser/default.js',
    unpkg: './dist/browser/script.js',
    jsdelivr: './dist/browser/script.js',
    exports: Object.fromEntries(
      Object.entries(manifest.exports).map(([name, path]) => [name, exported(path)]),
    ),
  }
}

/** @param {string} path */
function exported(path) {
  if (path.endsWith('.wasm')) return { types: `${path}.d.ts`, default: path }
  return path.endsWith('.js') ? { types: path.replace(/js$/, 'd.ts'), default: path } : path
}
