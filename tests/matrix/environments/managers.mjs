import { commonJs, esm } from './programs.mjs'

const files = { 'main.mjs': esm(), 'main.cjs': commonJs() }
const node = (file) => ({ program: process.execPath, args: [file] })
const YARN = { name: '@yarnpkg/cli-dist', version: '4.18.1' }
/** Returns the path of a package manager, which is outside of the project. */
const tool = (name, path) => `../tools/${name}/node_modules/${name}/${path}`
const yarn4 = [process.execPath, tool('@yarnpkg/cli-dist', 'bin/yarn.js')]
const pnp = {
  files: {
    ...files,
    '.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\n',
    'yarn.lock': '',
  },
  tool: YARN,
  install: [...yarn4, 'install', '--no-immutable'],
}

/** @type {import('../environment.mjs').Environment[]} */
export const managers = [
  {
    name: 'pnpm',
    files,
    tool: { name: 'pnpm', version: '10.34.0' },
    install: [
      process.execPath,
      tool('pnpm', 'bin/pnpm.cjs'),
      'install',
      '--no-frozen-lockfile',
      '--prefer-offline',
    ],
    run: node('main.mjs'),
  },
  {
    name: 'Yarn 1',
    files,
    tool: { name: 'yarn', version: '1.22.22' },
    install: [process.execPath, tool('yarn', 'bin/yarn.js'), 'install', '--no-lockfile'],
    run: node('main.cjs'),
  },
  {
    name: "Yarn Plug'n'Play, ES modules",
    ...pnp,
    run: { program: process.execPath, args: [yarn4[1], 'node', 'main.mjs'] },
  },
]
