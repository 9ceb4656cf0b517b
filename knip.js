// Unused files, exports and dependencies are looked for from all modules that the packages name, and from those of whole folders.

import { PACKAGES } from './js/build/package/names.mjs'

const modules = PACKAGES.flatMap((one) => one.modules)
const FOLDERS = ['entries', 'foundation/modules', 'foundation/platform']
/** Packages of one repository whose sources lie in js/: tests/packaging/alone.test.ts and shell.test.ts run each with what it depends on. */
const WORKSPACES = PACKAGES.filter(({ source }) => source !== '.')
const dependencies = WORKSPACES.flatMap(({ name, own }) => [name, ...Object.keys(own.dependencies)])

export default {
  entry: [...modules, 'sdk/pool/worker', ...FOLDERS.map((folder) => `${folder}/*`)].map(
    (path) => `js/${path}.ts!`,
  ),
  project: ['js/**/*.ts!'],
  ignoreUnresolved: ['\\.\\./(core|algorithms)\\.wasm(\\?module)?'],
  ignoreDependencies: [...dependencies, '@valibot/to-json-schema', 'csv-parse', 'rolldown'],
  ignoreWorkspaces: WORKSPACES.map(({ source }) => source),
  ignoreExportsUsedInFile: true,
  include: ['files', 'dependencies', 'unlisted', 'unresolved', 'exports', 'types'],
}
