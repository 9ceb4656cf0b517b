// Checks bundlers' output for unused imports: it must be empty, and without the core for an error's class. Each bundler
// has its own settings.

import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PAGES } from '../../js/build/package/names.mjs'
import { ESBUILD, ROLLUP, RSPACK, WEBPACK } from './environments/bundlers.mjs'
import { succeed } from './processes.mjs'

/** Names that a page can import. */
const NAMES = [
  'alvarium-sdk',
  ...[...PAGES, 'sources'].filter((name) => name !== 'default').map((name) => `alvarium-sdk/${name}`),
]

/**
 * The largest output in bytes of gzip: an empty file has 20 to 60. The core has 70,000; esbuild puts the rest of an
 * error's code into one chunk.
 */
const PROGRAMS = {
  unused: [NAMES.map((name, at) => `import * as n${at} from '${name}'\n`).join(''), 100],
  errors: ["import { AlvariumError } from 'alvarium-sdk'\nconsole.log(AlvariumError)\n", 11_500],
}

const BUNDLERS = {
  esbuild: (name) => [
    'esbuild',
    `${name}.mjs`,
    '--bundle',
    '--minify',
    '--format=esm',
    `--outdir=out/${name}`,
  ],
  Rollup: (name) => [
    ...['rollup', `${name}.mjs`, '--format=es', `--dir=out/${name}`],
    ...['--plugin=node-resolve={browser:true}', '--plugin=commonjs'],
  ],
  'Vite 8': (name) => ['vite', 'build', '--config=vite.config.mjs', `--mode=${name}`],
  webpack: (name) => [
    ...['webpack', '--mode=production', '--target=web'],
    ...[`--entry=./${name}.mjs`, `--output-path=out/${name}`],
  ],
  Rspack: (name) => ['rspack', 'build', '--mode=production', `--env=${name}`],
}

const FILES = {
  ...Object.fromEntries(Object.entries(PROGRAMS).map(([name, [program]]) => [`${name}.mjs`, program])),
  'vite.config.mjs': `export default ({ mode }) => ({
  build: { outDir: \`out/\${mode}\`, rolldownOptions: { input: \`\${mode}.mjs\` } },
})
`,
  'rspack.config.mjs': `import { resolve } from 'node:path'
export default (env) => {
  const name = ['unused', 'errors'].find((one) => env[one])
  return { entry: \`./\${name}.mjs\`, target: 'web', output: { path: resolve('out', name) } }
}
`,
}

/** @type {import('./environment.mjs').Environment} */
export const UNUSED = {
  name: 'unused',
  packages: { ...ESBUILD, ...ROLLUP, ...WEBPACK, ...RSPACK, vite: '8.3.8' },
  files: FILES,
}

/** @param {string} folder the folder of the project @returns {Promise<import('./sizes.mjs').Size[]>} */
export async function unusedSizes(folder) {
  const found = []
  for (const [bundler, command] of Object.entries(BUNDLERS)) {
    for (const [name, [, most]] of Object.entries(PROGRAMS)) {
      await rm(join(folder, 'out'), { recursive: true, force: true })
      await succeed(['npx', ...command(name)], folder)
      found.push({ name: `${name}, ${bundler}`, most, bytes: await weightOf(join(folder, 'out', name)) })
    }
  }
  return found
}

async function weightOf(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'))
  if (files.length === 0) throw new Error(`${folder}: expected a bundle, got nothing`)
  const code = await Promise.all(files.map((name) => readFile(join(folder, name))))
  return gzipSync(Buffer.concat(code), { level: 9 }).length
}
