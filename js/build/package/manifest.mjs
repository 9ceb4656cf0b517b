// The published package.json: that of the checkout without what concerns the checkout alone, and with the declarations' paths.

import { DEPENDENCIES, manifest } from './names.mjs'

const KEPT = [
  ...['name', 'version', 'description', 'keywords', 'homepage', 'bugs', 'license', 'repository', 'type'],
  ...['engines', 'peerDependencies', 'peerDependenciesMeta', 'bin', 'imports'],
]

export function publishedManifest() {
  return {
    ...Object.fromEntries(KEPT.map((field) => [field, manifest[field]])),
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, manifest.dependencies[name]])),
    sideEffects: [...manifest.sideEffects, './dist/browser/*.js'],
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
