// `npm test`: everything that must hold before a change lands, in the order of how fast it fails.
//
//   npm test                         all of it
//   npm test -- vitest tests/x.test  one step, with arguments of its own

import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nativeCargo } from './toolchain.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** @typedef {{ program: string, args: string[], cwd: string }} Command */
/** @returns {Command} a tool out of node_modules */
const npm = (path, ...args) => ({
  program: process.execPath,
  args: [join(root, 'node_modules', path), ...args],
  cwd: root,
})
/** @returns {Command} the tests that run there, see vitest.config.ts */
const vitest = (project) => npm('vitest/vitest.mjs', 'run', '--project', project)
/** @returns {Command} */
const cargo = (...args) => ({ program: nativeCargo(), args, cwd: join(root, 'crate') })

const STEPS = {
  lint: () => npm('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  types: () =>
    ['tests', 'examples/demo'].map((project) => npm('typescript/bin/tsc', '--noEmit', '--project', project)),
  rustfmt: () => cargo('fmt', '--all', '--check'),
  clippy: () =>
    cargo('clippy', '--quiet', '--locked', '--workspace', '--all-targets', '--', '--deny', 'warnings'),
  cargo: () => cargo('test', '--quiet', '--locked', '--workspace'),
  vitest: () => vitest('node'),
  demo: () => vitest('demo'),
  chromium: () => vitest('chromium'),
  firefox: () => vitest('firefox'),
}

const [only, ...extra] = process.argv.slice(2)
for (const name of only ? [only] : Object.keys(STEPS)) run(name)

function run(name) {
  const step =
    STEPS[name] ?? fail(`there is no step ${name}: expected one of ${Object.keys(STEPS).join(', ')}`)
  console.log(`\n── ${name} ──`)
  for (const { program, args, cwd } of [step()].flat()) {
    const { status, error } = spawnSync(program, [...args, ...extra], { cwd, stdio: 'inherit' })
    if (status !== 0) fail(`${name} failed${error ? `: ${error.message}` : ''}`)
  }
}

function fail(text) {
  console.error(`\n${text}`)
  process.exit(1)
}
