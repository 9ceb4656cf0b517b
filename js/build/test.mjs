// `npm test`: everything that must hold before a change lands, in the order of how fast it fails.
//
//   npm test                    all of it
//   npm test -- vitest tests/x  one step, with its own arguments

import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nativeCargo } from './toolchain.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const tool = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args]
const cargo = (...args) => [nativeCargo(), ...args, '--manifest-path', join(root, 'crate/Cargo.toml')]

const STEPS = {
  lint: () => tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  types: () => tool('typescript/bin/tsc', '--noEmit', '--project', 'tests'),
  rustfmt: () => cargo('fmt', '--all', '--check'),
  clippy: () =>
    cargo('clippy', '--quiet', '--locked', '--workspace', '--all-targets', '--', '--deny', 'warnings'),
  cargo: () => cargo('test', '--quiet', '--locked', '--workspace'),
  vitest: () => tool('vitest/vitest.mjs', 'run'),
}

const [only, ...extra] = process.argv.slice(2)
const steps = only ? { [only]: STEPS[only] } : STEPS

for (const [name, command] of Object.entries(steps)) {
  if (!command) fail(`there is no step ${name}: expected one of ${Object.keys(STEPS).join(', ')}`)
  console.log(`\n── ${name} ──`)
  const [program, ...args] = [...command(), ...extra]
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) fail(`${name} failed${error ? `: ${error.message}` : ''}`)
}

function fail(text) {
  console.error(`\n${text}`)
  process.exit(1)
}
