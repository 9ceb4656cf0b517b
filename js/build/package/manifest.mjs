// Builds the package.json to publish: removes private fields, and adds the declarations of each export.

import { manifest, SDK } from './names.mjs'

/** Fields of package.json with the same value in all published packages. */
const COMMON = ['version', 'homepage', 'bugs', 'license', 'repository', 'type', 'engines']
const FIELDS = ['name', 'description', 'keywords', 'sideEffects', 'peerDependencies', 'peerDependenciesMeta']
const FIELDS_OF_ONE = {
  sdk: {
    files: ['dist', 'js', 'crate', 'examples', 'CHANGELOG.md', 'SECURITY.md'],
    sideEffects: [...manifest.sideEffects, './dist/browser/*.js'],
    imports: manifest.imports,
    browser: './dist/browser/default.js',
    unpkg: './dist/browser/script.js',
    jsdelivr: './dist/browser/script.js',
  },
  artifacts: { files: ['dist', 'js'], peerDependencies: { [SDK.name]: manifest.version } },
  command: { files: ['dist', 'js'] },
}

/**
 * Returns the package.json to publish.
 *
 * @param {import('./names.mjs').PACKAGES[number]} one
 */
export function publishedManifest({ own, installed, key }) {
  return {
    ...pick(own, FIELDS),
    ...pick(manifest, COMMON),
    ...(installed.length > 0 && { dependencies: own.dependencies }),
    ...pick(own, ['bin']),
    ...FIELDS_OF_ONE[key],
    exports: Object.fromEntries(Object.entries(own.exports).map(([name, path]) => [name, exported(path)])),
  }
}

function pick(from, names) {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]))
}

/**
 * Returns an export of package.json, with the path of its declarations.
 *
 * @param {string} path
 */
function exported(path) {
  if (path.endsWith('.wasm')) return { types: `${path}.d.ts`, default: path }
  return path.endsWith('.js') ? { types: path.replace(/js$/, 'd.ts'), default: path } : path
}
