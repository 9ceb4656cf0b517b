// Unused files, exports and dependencies are looked for from all modules that package.json names, and from those of whole folders.

import { readFileSync } from 'node:fs'

const { bin, exports, imports } = JSON.parse(readFileSync('package.json', 'utf8'))
const compiled = JSON.stringify({ bin, exports, imports }).match(/(?<=dist\/)[^"]+(?=\.js")/g)
const FOLDERS = ['entries', 'modules', 'platform', 'later']

export default {
  entry: [...compiled, ...FOLDERS.map((folder) => `${folder}/*`)].map((path) => `js/${path}.ts!`),
  project: ['js/**/*.ts!'],
  ignoreUnresolved: ['\\.\\./(core|algorithms)\\.wasm(\\?module)?'],
  ignoreDependencies: ['@valibot/to-json-schema', 'csv-parse', 'rolldown'],
  ignoreExportsUsedInFile: true,
  include: ['files', 'dependencies', 'unlisted', 'unresolved', 'exports', 'types'],
}
