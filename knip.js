// Unused files, exports and dependencies are looked for from all modules that the packages name, and from those of whole folders.

import { PACKAGES } from './js/build/package/names.mjs'

const modules = PACKAGES.flatMap((one) => one.modules)
const FOLDERS = ['entries', 'modules', 'platform', 'later']

export default {
  entry: [...modules, 'pool/worker', ...FOLDERS.map((folder) => `${folder}/*`)].map(
    (path) => `js/${path}.ts!`,
  ),
  project: ['js/**/*.ts!'],
  ignoreUnresolved: ['\\.\\./(core|algorithms)\\.wasm(\\?module)?'],
  ignoreDependencies: ['@valibot/to-json-schema', 'csv-parse', 'rolldown'],
  ignoreExportsUsedInFile: true,
  include: ['files', 'dependencies', 'unlisted', 'unresolved', 'exports', 'types'],
}
