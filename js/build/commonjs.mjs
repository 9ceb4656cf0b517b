// dist/cjs: the package for whoever cannot require ES modules (Jest, Yarn Plug'n'Play, ts-node, TypeScript's node16
// projects), with types of its own. Bundled out of what is compiled already, for Node: bundlers and pages have the ES
// modules. Its files lie as deep as those of dist's rooms, so that what they find beside them is the same.

import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

/** The names under which it is had, and the modules behind them. */
const ENTRIES = {
  default: 'entries/default-commonjs',
  slim: 'entries/slim',
  verify: 'entries/verify-commonjs',
  pool: 'pool/pool',
  outbox: 'outbox/outbox',
  http: 'http/http',
  annotators: 'artifacts/annotators',
  opentelemetry: 'opentelemetry/opentelemetry',
  config: 'config-file/config',
  doctor: 'doctor/doctor',
  trust: 'trust/trust',
  // Its chunk for keys is called file.
  'file-stream': 'file/file',
}
const shared = {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  config: false,
  tsconfig: false,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist/cjs',
  outExtensions: () => ({ js: '.cjs', dts: '.d.cts' }),
  clean: false,
  hash: false,
  logLevel: 'error',
}

/** As of ES modules: for CommonJS the types are a second pass, beside one that writes programs under the same names. */
const types = {
  format: 'esm',
  dts: { dtsInput: true, emitDtsOnly: true },
  outputOptions: { entryFileNames: '[name].d.cts' },
}

/** Jest's environment of a page has no others, and nothing to load an ES module with; leven is nothing else. */
const programs = {
  dts: false,
  deps: { alwaysBundle: ['leven'] },
  inputOptions: {
    transform: {
      inject: {
        TextDecoder: ['node:util', 'TextDecoder'],
        TextEncoder: ['node:util', 'TextEncoder'],
        setImmediate: ['node:timers', 'setImmediate'],
      },
    },
  },
  outputOptions: { dynamicImportInCjs: false },
}

await build({ ...shared, entry: entries('.d.ts'), ...types })
const built = await build({ ...shared, entry: entries('.js'), ...programs })

/** What is in them. */
export const modules = built.flatMap(({ chunks }) => chunks.flatMap(({ moduleIds = [] }) => moduleIds))

/** @param {string} extension */
function entries(extension) {
  const paths = Object.entries(ENTRIES).map(([name, path]) => [name, `dist/${path}${extension}`])
  return Object.fromEntries(paths)
}
