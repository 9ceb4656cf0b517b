import { esm, html, IN_NODE, IN_PAGE, module, NO_POOL } from './programs.mjs'

const main = esm({ broker: IN_PAGE })
const page = { 'index.html': html(module('./main.mjs')), 'main.mjs': main }
const bundledPage = { 'index.html': html(module('./dist/main.js')), 'main.mjs': main }
const inNode = { 'main.mjs': esm({ broker: IN_NODE }) }
const node = (file) => ({ program: process.execPath, args: [file] })
export const ESBUILD = { esbuild: '0.28.2' }
export const ROLLUP = {
  rollup: '4.68.7',
  '@rollup/plugin-node-resolve': '16.0.3',
  '@rollup/plugin-commonjs': '29.0.3',
}
export const WEBPACK = { webpack: '5.112.2', 'webpack-cli': '7.3.1' }
export const RSPACK = { '@rspack/core': '2.3.2', '@rspack/cli': '2.2.8' }
const esbuild = (...args) => [['npx', 'esbuild', 'main.mjs', '--bundle', ...args]]
/** The banner from the guide, because mqtt.js is CommonJS. */
const REQUIRE =
  "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
const rollup = (...flags) => [
  ['npx', 'rollup', 'main.mjs', '--format=es', '--dir=dist', '--entryFileNames=main.js', ...flags],
]
const webpack = (target) => [
  ['npx', 'webpack', '--mode=production', '--entry=./main.mjs', `--target=${target}`],
]
/** Returns a config with external packages: Vite 7's bundle of ws lacks an optional package, and mqtt.js needs the same ws. */
const ssr = (external) => `import { defineConfig } from 'vite'
export default defineConfig({ ssr: { noExternal: true, external: ${JSON.stringify(external)} }, build: { ssr: 'main.mjs' } })
`

/** A config for a project without React Native: our modules have such extensions, and Metro converts `import`. */
const METRO = `import Metro from 'metro'
const config = await Metro.loadConfig({ cwd: import.meta.dirname })
config.resolver.sourceExts.push('mjs', 'cjs')
config.transformer.getTransformOptions = async () => ({ transform: { experimentalImportSupport: true } })
await Metro.runBuild(config, { entry: 'main.mjs', out: 'dist/main.js', platform: 'web', dev: false, minify: false })
`
const LIBRARY = `export default { base: './', build: { lib: { entry: 'main.mjs', formats: ['es'], fileName: 'main' } } }
`
const PARCEL = [['npx', 'parcel', 'build', 'index.html', '--no-cache', '--public-url=./']]

/** Copies the files that @vercel/nft finds, as servers of Nuxt, Next.js and Vercel do. */
const TRACE = `import { cpSync } from 'node:fs'
import { nodeFileTrace } from '@vercel/nft'
const { fileList } = await nodeFileTrace(['main.mjs'])
for (const file of fileList) cpSync(file, 'traced/' + file)
`

/** @param {string} name @param {string} version @returns {import('../environment.mjs').Environment[]} */
const vite = (name, version) => [
  {
    name: `${name}, dev`,
    packages: { vite: version },
    files: page,
    serve: { program: 'npx', args: ['vite', '--host=127.0.0.1', '--port=0'] },
    short: name === 'Vite 8',
  },
  {
    name: `${name}, build`,
    packages: { vite: version },
    files: page,
    build: [['npx', 'vite', 'build']],
    page: { root: 'dist' },
  },
  {
    name: `${name}, SSR with noExternal`,
    packages: { vite: version },
    files: { ...inNode, 'vite.config.mjs': ssr(name === 'Vite 7' ? ['mqtt', 'ws'] : []) },
    build: [['npx', 'vite', 'build']],
    run: node('dist/main.mjs'),
  },
]

/** @type {import('../environment.mjs').Environment[]} */
export const bundlers = [
  ...vite('Vite 7', '7.3.8'),
  ...vite('Vite 8', '8.3.8'),
  {
    name: 'Vite 8, library',
    packages: { vite: '8.3.8' },
    manifest: { type: 'module' },
    files: { ...bundledPage, 'vite.config.mjs': LIBRARY },
    build: [['npx', 'vite', 'build']],
    page: { root: '.' },
  },
  {
    name: 'webpack, web',
    packages: WEBPACK,
    files: bundledPage,
    build: webpack('web'),
    page: { root: '.' },
    short: true,
  },
  {
    name: 'webpack, node',
    packages: WEBPACK,
    files: inNode,
    build: webpack('node'),
    run: node('dist/main.js'),
  },
  {
    name: 'Rspack',
    packages: RSPACK,
    files: { ...bundledPage, 'rspack.config.mjs': "export default { entry: './main.mjs', target: 'web' }\n" },
    build: [['npx', 'rspack', 'build', '--mode=production']],
    page: { root: '.' },
  },
  {
    name: 'Rollup',
    packages: ROLLUP,
    files: bundledPage,
    build: rollup('--plugin=node-resolve={browser:true}', '--plugin=commonjs'),
    page: { root: '.' },
  },
  {
    name: 'esbuild, browser',
    short: true,
    packages: ESBUILD,
    files: bundledPage,
    build: esbuild('--format=esm', '--splitting', '--outdir=dist', '--entry-names=main'),
    page: { root: '.' },
  },
  {
    name: 'esbuild, Node, CommonJS in one file',
    packages: ESBUILD,
    files: inNode,
    build: esbuild('--platform=node', '--format=cjs', '--outfile=dist/main.cjs'),
    run: node('dist/main.cjs'),
  },
  {
    name: 'esbuild, Node, ES module in one file',
    packages: ESBUILD,
    files: inNode,
    build: esbuild('--platform=node', '--format=esm', REQUIRE, '--outfile=dist/main.mjs'),
    run: node('dist/main.mjs'),
  },
  {
    name: 'esbuild, Node, ES module with packages external',
    packages: ESBUILD,
    files: inNode,
    build: esbuild('--platform=node', '--format=esm', '--packages=external', '--outfile=dist/main.mjs'),
    run: node('dist/main.mjs'),
  },
  {
    name: 'Parcel',
    packages: { parcel: '2.16.4' },
    files: { ...page, 'main.mjs': esm({ broker: IN_PAGE, pool: NO_POOL }) },
    build: PARCEL,
    page: { root: 'dist' },
    without: { pool: "Parcel reads package.json's exports only when told to, see below" },
  },
  {
    name: 'Parcel with packageExports',
    packages: { parcel: '2.16.4' },
    manifest: { '@parcel/resolver-default': { packageExports: true } },
    files: page,
    build: PARCEL,
    page: { root: 'dist' },
  },
  {
    name: 'Metro, its bundle loaded as a module',
    packages: { metro: '0.87.1' },
    files: { ...bundledPage, 'build.mjs': METRO },
    build: [
      ['mkdir', '-p', 'dist'],
      [process.execPath, 'build.mjs'],
    ],
    page: { root: '.' },
  },
  {
    name: 'files traced by @vercel/nft',
    packages: { '@vercel/nft': '1.11.5' },
    files: { ...inNode, 'trace.mjs': TRACE },
    build: [
      ['rm', '-rf', 'traced'],
      [process.execPath, 'trace.mjs'],
    ],
    run: node('traced/main.mjs'),
    short: true,
  },
  {
    name: 'bun build, browser',
    packages: { bun: '1.4.5' },
    files: bundledPage,
    build: [['npx', 'bun', 'build', 'main.mjs', '--target=browser', '--outdir=dist']],
    page: { root: '.' },
  },
]
